# sdcMicro where its reading of missing keys, and its log-linear models, differ from ours: on the couples of fixtures/.
# Rscript tests/validation/peers/sdcmicro_readings.R FOLDER OUT.json; `python tests/validation --peers` makes the folder.
suppressPackageStartupMessages(library(sdcMicro))
given <- commandArgs(TRUE)
read <- function(name) as.data.frame(data.table::fread(file.path(given[1], name), stringsAsFactors = TRUE, na.strings = ""))
keys <- c("region", "race", "hispanic", "education", "children_under_6", "children_6_to_18")
half <- freqCalc(read("blanked.csv"), keyVars = keys, w = "weight", alpha = 0.5)
risk <- indivRisk(half)$rk
couples <- read("couples.csv")
four <- keys[1:4]
for (key in four) couples[[key]] <- factor(couples[[key]])
couples$w <- 10
# of the uniques alone: with larger cells, whose inclusion probabilities it adds up to more than 1, it answers NaN
model <- modRisk(couples, method = "default", weights = "w", bound = 1, formulaM = ~ region + race + hispanic + education)
lacking <- data.frame(a = factor(c("x", "x", "y", NA)), b = factor(c("u", "u", "v", NA)), w = 1)
counts <- freqCalc(lacking, keyVars = c("a", "b"), w = "w", alpha = 1)$fk
cat(sprintf(paste0('{\n "made_by": {"sdcMicro": "%s", "R": "%s"},\n "script": "tests/validation/peers/sdcmicro_readings.R",\n',
    ' "figures": {\n  "records of risk 0 at alpha 0.5": %d,\n  "frequency of x, u beside a record without keys": %g,\n',
    '  "modRisk, gr1 times the uniques": %.17g,\n  "modRisk, gr2 times the uniques": %.17g\n }\n}\n'),
    as.character(packageVersion("sdcMicro")), paste(R.version$major, R.version$minor, sep = "."),
    sum(risk == 0), counts[1], model$gr1 * length(model$inclProb), model$gr2 * length(model$inclProb)), file = given[2])
