# sdcMicro: recordSwap
library(sdcMicro)
package <- "sdcMicro"
read <- function(path) {
  table <- data.table::fread(path)
  table$place <- as.integer(factor(table$region))
  table$group <- as.integer(factor(table$ethnic_group))
  table[order(table$household), c("person", "household", "household_size", "place", "group")]
}
work <- function(table)
  recordSwap(table, hid = "household", hierarchy = "place", similar = list("household_size"), swaprate = 0.05,
             risk_variables = "group", k_anonymity = 3, seed = 1L)
answer <- function(table, done) {
  homes <- function(x) unique(as.data.frame(x)[c("household", "household_size", "place")])
  before <- homes(table)
  after <- homes(done)
  after <- after[match(before$household, after$household), ]
  c(kept = as.numeric(identical(c(table(before$place, before$household_size)), c(table(after$place, after$household_size)))),
    moved = mean(before$place != after$place))
}
