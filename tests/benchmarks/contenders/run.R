# Run one contender in R: source the script, read the table, do the task once, and say what it took, as a line of JSON.
# The script has package, read(path), work(table) and answer(table, done), which returns a named vector of numbers.
given <- commandArgs(TRUE)
source(given[1])
table <- read(given[2])
before <- proc.time()
done <- suppressWarnings(suppressMessages(work(table)))
took <- proc.time() - before
most <- as.numeric(sub("\\D*(\\d+).*", "\\1", grep("^VmHWM", readLines("/proc/self/status"), value = TRUE))) * 1024
found <- answer(table, done)
cat(sprintf('{"contender": "%s %s", "seconds": %.6f, "processor": %.6f, "memory": %.0f, "answer": {%s}}\n',
            package, as.character(packageVersion(package)), took[["elapsed"]], took[["user.self"]] + took[["sys.self"]], most,
            paste(sprintf('"%s": %.17g', names(found), found), collapse = ", ")))
