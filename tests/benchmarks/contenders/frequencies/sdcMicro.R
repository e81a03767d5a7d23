# sdcMicro: freqCalc
library(sdcMicro)
package <- "sdcMicro"
keys <- c("age", "sex", "marital_status", "ethnic_group", "economic_status", "country_of_birth", "region", "household_size")
read <- function(path) as.data.frame(data.table::fread(path, stringsAsFactors = TRUE))
work <- function(table) freqCalc(table, keyVars = keys)
answer <- function(table, done) c(alone = sum(done$fk == 1), squared = sum(done$fk))
