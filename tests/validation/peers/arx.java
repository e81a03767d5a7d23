// ARX on the couples of fixtures/: risks of the file, models of the population, and the best nodes of the lattice.
// java -cp "$SDC_ARX" tests/validation/peers/arx.java FOLDER OUT.json; `python tests/validation --peers` makes the folder.

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.deidentifier.arx.ARXAnonymizer;
import org.deidentifier.arx.ARXConfiguration;
import org.deidentifier.arx.ARXLattice;
import org.deidentifier.arx.ARXPopulationModel;
import org.deidentifier.arx.ARXResult;
import org.deidentifier.arx.AttributeType;
import org.deidentifier.arx.AttributeType.Hierarchy;
import org.deidentifier.arx.Data;
import org.deidentifier.arx.DataHandle;
import org.deidentifier.arx.DataSubset;
import org.deidentifier.arx.criteria.DistinctLDiversity;
import org.deidentifier.arx.criteria.EntropyLDiversity;
import org.deidentifier.arx.criteria.EqualDistanceTCloseness;
import org.deidentifier.arx.criteria.KAnonymity;
import org.deidentifier.arx.criteria.KMap;
import org.deidentifier.arx.criteria.PrivacyCriterion;
import org.deidentifier.arx.metric.Metric;
import org.deidentifier.arx.risk.RiskEstimateBuilder;
import org.deidentifier.arx.risk.RiskModelPopulationUniqueness;
import org.deidentifier.arx.risk.RiskModelPopulationUniqueness.PopulationUniquenessModel;

class arx {
    static final Charset UTF8 = StandardCharsets.UTF_8;
    static final long PERSONS = 1_000_000;
    static final Map<String, Object> FIGURES = new LinkedHashMap<>();
    static Path folder;

    public static void main(String[] given) throws IOException {
        folder = Path.of(given[0]);
        for (String keys : new String[] {"region,race,education", "region,race,education,children_under_6,children_6_to_18"})
            tellRisks(keys.split(","));
        String[] keys = {"region", "race", "education", "children_under_6", "children_6_to_18"};
        Map<String, Metric<?>> losses = new LinkedHashMap<>();
        losses.put("createEntropyMetric(false)", Metric.createEntropyMetric(false));
        losses.put("createLossMetric()", Metric.createLossMetric());
        losses.put("createDiscernabilityMetric()", Metric.createDiscernabilityMetric());
        losses.put("createAECSMetric()", Metric.createAECSMetric());
        for (Map.Entry<String, Metric<?>> loss : losses.entrySet())
            for (double share : new double[] {0, 0.02})
                for (int k : new int[] {3, 25})
                    search(keys, loss.getKey(), loss.getValue(), share, null, "KAnonymity(" + k + ")", new KAnonymity(k));
        String loss = "createLossMetric()";
        search(keys, loss, Metric.createLossMetric(), 0, "insured", "DistinctLDiversity(insured, 2)",
               new KAnonymity(2), new DistinctLDiversity("insured", 2));
        search(keys, loss, Metric.createLossMetric(), 0, "insured", "EntropyLDiversity(insured, 1.2)",
               new KAnonymity(2), new EntropyLDiversity("insured", 1.2));
        for (double share : new double[] {0, 0.02})
            search(keys, loss, Metric.createLossMetric(), share, "insured", "EqualDistanceTCloseness(insured, 0.25)",
                   new KAnonymity(2), new EqualDistanceTCloseness("insured", 0.25));
        mapPopulation(keys, loss);
        write(Path.of(given[1]));
    }

    static Data read(String[] keys, String sensitive) throws IOException {
        Data data = Data.create(folder.resolve("couples.csv").toString(), UTF8, ',');
        for (String name : names(data)) {
            if (Arrays.asList(keys).contains(name))
                data.getDefinition().setAttributeType(
                    name, Hierarchy.create(folder.resolve("hierarchies").resolve(name + ".csv").toString(), UTF8, ';'));
            else if (name.equals(sensitive))
                data.getDefinition().setAttributeType(name, AttributeType.SENSITIVE_ATTRIBUTE);
            else
                data.getDefinition().setAttributeType(name, AttributeType.INSENSITIVE_ATTRIBUTE);
        }
        return data;
    }

    static String[] names(Data data) {
        String[] names = new String[data.getHandle().getNumColumns()];
        for (int i = 0; i < names.length; i++) names[i] = data.getHandle().getAttributeName(i);
        return names;
    }

    static void tellRisks(String[] keys) throws IOException {
        DataHandle handle = read(keys, null).getHandle();
        RiskEstimateBuilder risks = handle.getRiskEstimator(ARXPopulationModel.create(PERSONS), new HashSet<>(Arrays.asList(keys)));
        Map<String, Object> found = new LinkedHashMap<>();
        found.put("getEquivalenceClassModel().getNumClasses()", risks.getEquivalenceClassModel().getNumClasses());
        found.put("getEquivalenceClassModel().getAvgClassSize()", risks.getEquivalenceClassModel().getAvgClassSize());
        found.put("getSampleBasedUniquenessRisk().getFractionOfUniqueRecords()",
                  risks.getSampleBasedUniquenessRisk().getFractionOfUniqueRecords());
        found.put("getSampleBasedReidentificationRisk().getHighestRisk()", risks.getSampleBasedReidentificationRisk().getHighestRisk());
        found.put("getSampleBasedReidentificationRisk().getAverageRisk()", risks.getSampleBasedReidentificationRisk().getAverageRisk());
        found.put("getSampleBasedReidentificationRisk().getFractionOfRecordsAffectedByHighestRisk()",
                  risks.getSampleBasedReidentificationRisk().getFractionOfRecordsAffectedByHighestRisk());
        found.put("getSampleBasedRiskSummary(0.2).getProsecutorRisk().getRecordsAtRisk()",
                  risks.getSampleBasedRiskSummary(0.2).getProsecutorRisk().getRecordsAtRisk());
        RiskModelPopulationUniqueness population = risks.getPopulationBasedUniquenessRisk();
        for (PopulationUniquenessModel model : PopulationUniquenessModel.values())
            if (population.isAvailableEstimate(model))
                found.put("getPopulationBasedUniquenessRisk().getFractionOfUniqueTuples(" + model + ")",
                          population.getFractionOfUniqueTuples(model));
        FIGURES.put(String.join(", ", keys), found);
    }

    static void search(String[] keys, String name, Metric<?> loss, double share, String sensitive, String asked,
                       PrivacyCriterion... criteria) throws IOException {
        ARXConfiguration config = ARXConfiguration.create();
        for (PrivacyCriterion one : criteria) config.addPrivacyModel(one);
        tellBest(keys, name, loss, share, asked, config, read(keys, sensitive));
    }

    // the file: every tenth couple, the population: all of them
    static void mapPopulation(String[] keys, String name) throws IOException {
        Data data = read(keys, null);
        DataHandle handle = data.getHandle();
        int couple = handle.getColumnIndexOf("couple");
        Set<Integer> some = new HashSet<>();
        for (int i = 0; i < handle.getNumRows(); i++)
            if (Integer.parseInt(handle.getValue(i, couple)) % 10 == 0) some.add(i);
        ARXConfiguration config = ARXConfiguration.create();
        config.addPrivacyModel(new KMap(5, DataSubset.create(data, some)));
        tellBest(keys, name, Metric.createLossMetric(), 0, "KMap(5, every tenth)", config, data);
    }

    static void tellBest(String[] keys, String name, Metric<?> loss, double share, String asked, ARXConfiguration config,
                         Data data) throws IOException {
        config.setSuppressionLimit(share);
        config.setQualityModel(loss);
        ARXResult result = new ARXAnonymizer().anonymize(data, config);
        ARXLattice.ARXNode best = result.getGlobalOptimum();
        DataHandle output = result.getOutput(best, false);
        DataHandle released = asked.startsWith("KMap") ? output.getView() : output;
        long suppressed = 0;
        for (int row = 0; row < released.getNumRows(); row++) if (released.isOutlier(row)) suppressed++;
        Map<String, Object> found = new LinkedHashMap<>();
        for (String key : keys) found.put("getGeneralization(" + key + ")", best.getGeneralization(key));
        found.put("getHighestScore()", Double.parseDouble(best.getHighestScore().toString()));
        found.put("isOutlier(row), counted", suppressed);
        FIGURES.put(asked + ", setSuppressionLimit(" + share + "), " + name, found);
    }

    static String version() {
        Matcher named = Pattern.compile("arx-(\\d+(\\.\\d+)*)").matcher(System.getProperty("java.class.path"));
        return named.find() ? named.group(1) : "of a jar without a version in its name";
    }

    static void write(Path file) throws IOException {
        List<String> parts = new ArrayList<>();
        FIGURES.forEach((of, found) -> parts.add("  \"" + of + "\": {\n" + ((Map<?, ?>) found).entrySet().stream()
            .map(e -> "   \"" + e.getKey() + "\": " + e.getValue()).collect(Collectors.joining(",\n")) + "\n  }"));
        try (PrintWriter out = new PrintWriter(Files.newBufferedWriter(file, UTF8))) {
            out.print("{\n \"made_by\": {\"ARX\": \"" + version() + "\", \"Java\": \""
                      + System.getProperty("java.version") + "\"},\n \"script\": \"tests/validation/peers/arx.java\",\n"
                      + " \"figures\": {\n" + String.join(",\n", parts) + "\n }\n}\n");
        }
    }
}
