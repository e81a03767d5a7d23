# sdcMicro: indivRisk, which approximates the risk of cells of three and more
library(sdcMicro)
package <- "sdcMicro"
keys <- c("age", "sex", "marital_status", "ethnic_group", "economic_status", "country_of_birth", "region", "household_size")
read <- function(path) as.data.frame(data.table::fread(path, stringsAsFactors = TRUE))
work <- function(table) indivRisk(freqCalc(table, keyVars = keys, w = "weight"))
answer <- function(table, done) c(expected_reidentifications = sum(done$rk))
