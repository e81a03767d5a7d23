# survey: calibrate, the linear distance without bounds
suppressPackageStartupMessages(library(survey))
package <- "survey"
read <- function(path) read.csv(path, na.strings = "", stringsAsFactors = TRUE)
work <- function(table) {
  x <- model.matrix(~ sex + region, table)
  goal <- colSums(x * table$weight)
  goal["sexmale"] <- goal[["(Intercept)"]] - 1.02 * sum(table$weight[table$sex == "female"])
  calibrate(svydesign(ids = ~1, weights = ~weight, data = table), ~ sex + region, goal)
}
answer <- function(table, done) c(squares = sum(weights(done)^2), total = sum(weights(done)))
