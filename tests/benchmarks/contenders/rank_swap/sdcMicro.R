# sdcMicro: rankSwap of 5 percent, which P takes as a fraction
library(sdcMicro)
package <- "sdcMicro"
read <- function(path) {
  person <- data.table::fread(path, select = "person")$person
  data.frame(x = (person * 7919) %% 10000019 + 0.5)
}
work <- function(table) rankSwap(table, variables = "x", TopPercent = 0, BottomPercent = 0, K0 = NULL, R0 = NULL, P = 0.05, seed = 1)
answer <- function(table, done) {
  went <- abs(rank(done$x) - rank(table$x))
  c(kept = as.numeric(identical(sort(done$x), sort(table$x))), farther = sum(went > 0.05 * nrow(table)))
}
