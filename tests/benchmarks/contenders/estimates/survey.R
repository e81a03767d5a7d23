# survey: svyby with svymean
suppressPackageStartupMessages(library(survey))
package <- "survey"
read <- function(path) {
  t <- read.csv(path, na.strings = "", stringsAsFactors = TRUE)
  t$income[is.na(t$income)] <- 0
  t
}
work <- function(table) svyby(~income, ~region, svydesign(ids = ~household, weights = ~weight, data = table), svymean)
answer <- function(table, done) c(means = sum(done$income), errors = sum(SE(done)))
