# R's survey on the labour force survey of fixtures/: estimates and standard errors by its design.
# Rscript tests/validation/peers/survey.R FOLDER OUT.json; `python tests/validation --peers` makes the folder.
suppressPackageStartupMessages(library(survey))
given <- commandArgs(TRUE)
lfs <- read.csv(file.path(given[1], "lfs.csv"), na.strings = "", stringsAsFactors = FALSE)
lfs$sex <- factor(lfs$sex)
lfs$area <- substr(lfs$residence, 1, 3)
lfs$income[is.na(lfs$income)] <- 0
design <- svydesign(ids = ~household, strata = ~area, weights = ~weight, data = lfs, nest = TRUE)
options(survey.lonely.psu = "adjust")
rows <- list()
say <- function(call, statistic, domain, term, estimate, se) {
  rows[[length(rows) + 1]] <<- sprintf(
    '  {"call": "%s", "statistic": "%s", "domain": "%s", "term": "%s", "estimate": %.17g, "standard_error": %.17g}',
    call, statistic, domain, term, estimate, se)
}
t <- svytotal(~income, design)
say("svytotal(~income, design)", "total", "", "", coef(t), SE(t))
m <- svymean(~income, design)
say("svymean(~income, design)", "mean", "", "", coef(m), SE(m))
b <- svyby(~income, ~sex, design, svymean)
for (i in seq_len(nrow(b))) say("svyby(~income, ~sex, design, svymean)", "mean", as.character(b$sex[i]), "", b$income[i], SE(b)[i])
p <- svymean(~sex, design)
for (i in seq_along(coef(p))) say("svymean(~sex, design)", "share", "", sub("^sex", "", names(coef(p))[i]), coef(p)[i], SE(p)[i])
g <- svyglm(income ~ age + household_size, design)
for (i in seq_along(coef(g))) say("svyglm(income ~ age + household_size, design)", "regression", "", names(coef(g))[i], coef(g)[i], SE(g)[i])
cat("{\n \"made_by\": {\"survey\": \"", as.character(packageVersion("survey")), "\", \"R\": \"",
    paste(R.version$major, R.version$minor, sep = "."), "\"},\n \"script\": \"tests/validation/peers/survey.R\",\n \"figures\": [\n",
    paste(unlist(rows), collapse = ",\n"), "\n ]\n}\n", sep = "", file = given[2])
