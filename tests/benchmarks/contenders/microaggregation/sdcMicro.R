# sdcMicro: microaggregation by mdav, of standardised columns
library(sdcMicro)
package <- "sdcMicro"
read <- function(path) {
  t <- as.data.frame(data.table::fread(path))
  t$income[is.na(t$income)] <- 0
  t[c("age", "income")]
}
work <- function(table) microaggregation(as.data.frame(scale(table)), method = "mdav", aggr = 3)
answer <- function(table, done) {
  x <- scale(table)
  c(lost = sum((x - as.matrix(done$mx))^2) / sum(x^2))
}
