# sdcMicro: the same steps on an sdcMicroObj, what it prints of risk and loss, and the file as CSV (its reports as HTML
# need packages that Debian has not: it writes fewer documents)
library(sdcMicro)
package <- "sdcMicro"
keys <- c("age", "sex", "marital_status", "region")
read <- function(path) {
  table <- as.data.frame(data.table::fread(path, stringsAsFactors = TRUE))
  table$income[is.na(table$income)] <- 0
  table
}
work <- function(table) {
  sdc <- createSdcObj(table, keyVars = keys, numVars = "income", weightVar = "weight")
  sdc <- globalRecode(sdc, column = "age", breaks = c(-1, 17, 34, 49, 64, 200))
  sdc <- localSuppression(sdc, k = 3)
  sdc <- addNoise(sdc, variables = "income", noise = 10, method = "additive")
  folder <- tempfile("released")
  dir.create(folder)
  capture.output({
    for (part in c("kAnon", "ls", "risk", "numrisk")) print(sdc, part)
    print(get.sdcMicroObj(sdc, "utility")$il1)
  }, file = file.path(folder, "report.txt"))
  writeSafeFile(sdc, format = "csv", randomizeRecords = "simple", fileOut = file.path(folder, "released.csv"))
  list(sdc = sdc, folder = folder)
}
answer <- function(table, done) {
  released <- extractManipData(done$sdc)
  c(below = sum(freqCalc(released, keyVars = keys)$fk < 3), spread = sd(released$income - table$income) / sd(table$income))
}
