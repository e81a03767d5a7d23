# sdcMicro: suda2
library(sdcMicro)
package <- "sdcMicro"
keys <- c("age", "sex", "marital_status", "ethnic_group", "region")
read <- function(path) as.data.frame(data.table::fread(path, stringsAsFactors = TRUE))
work <- function(table) suda2(table, variables = keys, original_scores = TRUE)
answer <- function(table, done) c(special = sum(done$score > 0))
