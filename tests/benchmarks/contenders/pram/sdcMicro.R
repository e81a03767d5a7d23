# sdcMicro: pram by a matrix with 0.8 on its diagonal
library(sdcMicro)
package <- "sdcMicro"
read <- function(path) factor(data.table::fread(path, select = "region")$region)
work <- function(table) {
  k <- nlevels(table)
  m <- matrix(0.2 / (k - 1), k, k, dimnames = list(levels(table), levels(table)))
  diag(m) <- 0.8
  pram(data.frame(region = table), variables = "region", pd = m)
}
answer <- function(table, done) c(stayed = mean(as.character(done$region_pram) == as.character(table)))
