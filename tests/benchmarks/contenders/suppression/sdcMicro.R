# sdcMicro: kAnon
library(sdcMicro)
package <- "sdcMicro"
keys <- c("age", "sex", "marital_status", "ethnic_group", "region")
read <- function(path) as.data.frame(data.table::fread(path, stringsAsFactors = TRUE))
work <- function(table) kAnon(createSdcObj(table, keyVars = keys, weightVar = "weight"), k = 3)
answer <- function(table, done) {
  after <- extractManipData(done)[keys]
  c(below = sum(freqCalc(after, keyVars = keys)$fk < 3), suppressed = sum(is.na(after)))
}
