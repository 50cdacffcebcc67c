// A bot for rails-cli: answers every request with a random legal action.

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

public class Bot {
    static final Random RANDOM = new Random();

    // The index in "legal" of the action to play. Replace the random choice with your own.
    static int decide(String request) {
        return RANDOM.nextInt(parts(field(request, "legal")).size());
    }

    public static void main(String[] arguments) throws IOException {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            String seed = field(line, "seed");
            if (seed != null && !seed.equals("null")) {
                RANDOM.setSeed(Long.parseLong(seed));
            }
            if ("\"request\"".equals(field(line, "type"))) {
                String answer = "{\"type\":\"action\",\"number\":" + field(line, "number") + ",\"choice\":" + decide(line) + "}";
                System.out.print(answer + "\n");
                System.out.flush();
            }
        }
    }

    // Java has no JSON, but a bot needs little of it: to take values apart.

    // The value of a field of an object, as JSON; null if there is none.
    static String field(String object, String name) {
        List<String> parts = parts(object);
        for (int i = 0; i + 1 < parts.size(); i += 2) {
            if (parts.get(i).equals('"' + name + '"')) {
                return parts.get(i + 1);
            }
        }
        return null;
    }

    // What an array or object holds, each part as JSON; an object holds name, value, name, value, and so on.
    static List<String> parts(String value) {
        List<String> parts = new ArrayList<>();
        int depth = 0;
        int start = 0;
        for (int at = 0; at < value.length(); at++) {
            char c = value.charAt(at);
            if (c == '"') {
                for (at++; value.charAt(at) != '"'; at++) {
                    if (value.charAt(at) == '\\') {
                        at++;
                    }
                }
            } else if (c == '[' || c == '{') {
                depth++;
                if (depth == 1) {
                    start = at + 1;
                }
            } else if (c == ']' || c == '}' || c == ',' || c == ':') {
                if (depth == 1) {
                    String part = value.substring(start, at).trim();
                    if (!part.isEmpty()) {
                        parts.add(part);
                    }
                    start = at + 1;
                }
                if (c == ']' || c == '}') {
                    depth--;
                }
            }
        }
        return parts;
    }
}
