// ARX: the optimum of the lattice by its loss, nothing suppressed, by the hierarchies of the other two.

import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.deidentifier.arx.ARXAnonymizer;
import org.deidentifier.arx.ARXConfiguration;
import org.deidentifier.arx.ARXResult;
import org.deidentifier.arx.AttributeType.Hierarchy;
import org.deidentifier.arx.AttributeType.Hierarchy.DefaultHierarchy;
import org.deidentifier.arx.Data;
import org.deidentifier.arx.DataHandle;
import org.deidentifier.arx.criteria.KAnonymity;
import org.deidentifier.arx.metric.Metric;

class ARX {
    static final String[] KEYS = {"age", "marital_status", "region"};

    public static void main(String[] given) throws Exception {
        Data.DefaultData data = Data.create();
        data.add(KEYS);
        List<String> lines = Files.readAllLines(Path.of(given[0]), StandardCharsets.UTF_8);
        List<String> names = List.of(lines.get(0).split(","));
        int[] places = {names.indexOf(KEYS[0]), names.indexOf(KEYS[1]), names.indexOf(KEYS[2])};
        for (String line : lines.subList(1, lines.size())) {
            String[] row = line.split(",", -1);
            data.add(row[places[0]], row[places[1]], row[places[2]]);
        }
        define(data, "age", List.of(v -> v, v -> Integer.parseInt(v) / 5 * 5 + "+", v -> Integer.parseInt(v) / 20 * 20 + "+", v -> "*"));
        define(data, "marital_status", List.of(v -> v, v -> "*"));
        define(data, "region", List.of(v -> v, v -> v.substring(0, 1), v -> "*"));
        ARXConfiguration config = ARXConfiguration.create();
        config.addPrivacyModel(new KAnonymity(5));
        config.setSuppressionLimit(0d);
        config.setQualityModel(Metric.createLossMetric());
        long before = processor(), start = System.nanoTime();
        ARXResult result = new ARXAnonymizer().anonymize(data, config);
        DataHandle output = result.getOutput();
        double seconds = (System.nanoTime() - start) / 1e9, used = (processor() - before) / 1e9;
        Map<String, Integer> cells = new HashMap<>();
        for (int i = 0; i < output.getNumRows(); i++)
            cells.merge(output.getValue(i, 0) + "\t" + output.getValue(i, 1) + "\t" + output.getValue(i, 2), 1, Integer::sum);
        int below = cells.values().stream().filter(n -> n < 5).mapToInt(n -> n).sum();
        Matcher named = Pattern.compile("arx-(\\d+(\\.\\d+)*)").matcher(System.getProperty("java.class.path"));
        Matcher most = Pattern.compile("VmHWM:\\s*(\\d+)").matcher(Files.readString(Path.of("/proc/self/status")));
        System.out.printf("{\"contender\": \"ARX %s\", \"seconds\": %.6f, \"processor\": %.6f, \"memory\": %d, \"answer\": {\"below\": %d}}%n",
                          named.find() ? named.group(1) : "", seconds, used, most.find() ? Long.parseLong(most.group(1)) * 1024 : 0, below);
    }

    static long processor() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }

    static void define(Data data, String key, List<UnaryOperator<String>> levels) {
        DefaultHierarchy hierarchy = Hierarchy.create();
        DataHandle handle = data.getHandle();
        for (String value : new TreeSet<>(List.of(handle.getDistinctValues(handle.getColumnIndexOf(key)))))
            hierarchy.add(levels.stream().map(level -> level.apply(value)).toArray(String[]::new));
        data.getDefinition().setAttributeType(key, hierarchy);
    }
}
