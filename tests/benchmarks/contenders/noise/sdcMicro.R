# sdcMicro: addNoise, additive, ten percent, in memory
library(sdcMicro)
package <- "sdcMicro"
read <- function(path) {
  person <- data.table::fread(path, select = "person")$person
  as.data.frame(sapply(c(a = 1, b = 2, c = 3, d = 4, e = 5), function(i) sin(person * i) * 100))
}
work <- function(table) addNoise(table, noise = 10, method = "additive")
answer <- function(table, done) c(spread = sd(done$xm[, "c"] - table$c) / sd(table$c))
