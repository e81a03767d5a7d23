// mu-ARGUS on the couples and the persons of fixtures/: unsafe combinations, individual and household risk, and optimal
// univariate microaggregation, by the engines that its user interface calls (libmuargus, libnumericalmu), built here.
// muargus FOLDER OUT.json; `python tests/validation --peers` builds it from the sources in $SDC_MUARGUS and makes the folder.

#include <cmath>
#include <cstdio>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>
#include "MuArgCtrl.h"
#undef I_ProgressListener_h  // the two engines guard two headers by one name
#include "Numerical.h"

using Figures = std::map<std::string, double>;
using Columns = std::vector<std::string>;

static std::map<std::string, Figures> found;

static void must(bool done, const std::string& what) {
    if (done) return;
    std::cerr << "mu-ARGUS refuses " << what << "\n";
    std::exit(1);
}

static std::string join(const Columns& names) {
    std::string all;
    for (const auto& name : names) all += (all.empty() ? "" : ", ") + name;
    return all;
}

static Columns read_names(const std::string& file) {
    std::ifstream in(file);
    std::string line, name;
    std::getline(in, line);
    std::istringstream cells(line);
    Columns names;
    while (std::getline(cells, name, ',')) names.push_back(name);
    return names;
}

// The risk of one record of a cell of f records that stand for F persons.
static void tell_base_risk() {
    CMuArgCtrl argus;
    const long f[] = {1, 1, 2, 2, 3, 3, 4, 4, 5, 10, 30};
    const double F[] = {2, 100, 2, 50, 20, 1000, 5, 40, 1000, 20, 3000};
    for (int i = 0; i < 11; i++) {
        double risk;
        must(argus.BaseIndividualRisk(f[i], F[i], &risk), "a risk");
        std::ostringstream of;
        of << f[i] << ", " << F[i];
        found["BaseIndividualRisk"][of.str()] = risk;
    }
}

// One table of keys, with weights: of all its margins the unsafe combinations, and the risks of its cells.
static void tell_table(const std::string& file, const Columns& keys, long threshold, const std::string& household) {
    CMuArgCtrl argus;
    const Columns names = read_names(file);
    must(argus.SetNumberVar(names.size()) && argus.SetInFileInfo(false, ",", true), "a file");
    std::vector<long> places;
    long weight = 0;
    for (size_t i = 0; i < names.size(); i++) {
        bool is_key = false;
        for (const auto& key : keys) is_key |= key == names[i];
        const bool weighs = names[i] == "weight", of_home = names[i] == household;
        if (weighs) weight = i + 1;
        must(argus.SetVariable(i + 1, 1, 20, weighs ? 6 : 0, "-", "-", of_home, false, is_key, weighs, weighs, 0), names[i]);
    }
    for (const auto& key : keys)
        for (size_t i = 0; i < names.size(); i++)
            if (names[i] == key) places.push_back(i + 1);
    long error = 0, line = 0, variable = 0;
    must(argus.ExploreFile(file, &error, &line, &variable), "to read " + file);
    must(argus.SetNumberTab(1) && argus.SetTable(1, threshold, places.size(), places.data(), true, weight), "a table");
    must(argus.ComputeTables(&error, &variable), "to count");
    const std::string of = file.substr(file.find_last_of('/') + 1) + ": " + join(keys);
    if (household.empty())
        for (long size = 1; size <= (long)keys.size(); size++) {
            bool whole;
            long unsafe, at[MAXDIM];
            for (long i = 1; argus.GetTableUC(size, i, &whole, &unsafe, at); i++) {
                Columns some;
                for (long j = 0; j < size; j++) some.push_back(names[at[j] - 1]);
                found["GetTableUC, threshold " + std::to_string(threshold)][join(some)] = unsafe;
            }
        }
    std::vector<double> left(3);
    std::vector<long> many(3), members(3);
    double rate;
    must(argus.GetBIRHistogramData(1, 2, left.data(), &rate, many.data()), "individual risks");
    found[of]["greatest individual risk"] = std::exp(left[2]);
    found[of]["least individual risk"] = std::exp(left[0]);
    found[of]["re-identification rate"] = rate;
    if (household.empty()) return;
    must(argus.CalculateBaseHouseholdRisk(&error), "household risk");
    found[of]["households"] = argus.NumberOfHouseholds();
    must(argus.GetBHRHistogramData(1, 2, left.data(), many.data(), members.data()), "household risks");
    found[of]["greatest household risk"] = std::exp(left[2]);
    for (double limit : {0.005, 0.02, 0.05}) {
        long homes, persons;
        must(argus.SetBHRThreshold(1, std::log(limit), &homes, &persons), "a limit");
        std::ostringstream at;
        at << "households of risk " << limit << " or more";
        found[of][at.str()] = homes;
    }
}

// The least sum of squares that groups of k or more leave of one variable.
static void tell_groups(const std::string& folder, const std::string& name, long k) {
    const std::string from = folder + "/" + name + ".txt", to = folder + "/" + name + ".out";
    long columns[] = {1}, error = 0;
    Numerical().DoMicroAggregation(from, to, ",", 1, k, 1, 1, columns, &error);
    must(error == 0, "to form groups");
    std::ifstream one(from), other(to);
    double x, y, squares = 0;
    while (one >> x && other >> y) squares += (x - y) * (x - y);
    found["DoMicroAggregation, optimal"][name + ", " + std::to_string(k)] = squares;
}

int main(int, char** given) {
    const std::string folder = given[1];
    tell_base_risk();
    tell_table(folder + "/couples.csv", {"region", "race", "education", "children_under_6"}, 2, "");
    tell_table(folder + "/couples.csv", {"region", "race", "hispanic", "education"}, 5, "");
    tell_table(folder + "/homes.csv", {"sex", "marital_status", "country_of_birth"}, 2, "household");
    for (long k : {3, 10}) tell_groups(folder, "husband_income", k);
    std::ofstream out(given[2]);
    out << std::setprecision(17) << "{\n \"made_by\": {\"mu-ARGUS\": \"5.1.4\", \"g++\": \"" << __VERSION__ << "\"},\n"
        << " \"script\": \"tests/validation/peers/muargus.cpp\",\n \"figures\": {";
    const char* next = "\n";
    for (const auto& [of, figures] : found) {
        out << next << "  \"" << of << "\": {";
        const char* then = "\n";
        for (const auto& [name, figure] : figures) {
            out << then << "   \"" << name << "\": " << figure;
            then = ",\n";
        }
        out << "\n  }";
        next = ",\n";
    }
    out << "\n }\n}\n";
}
