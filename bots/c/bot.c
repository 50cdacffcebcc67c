/* A bot for rails-cli: answers every request with a random legal action. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* C has no JSON, but a bot needs little of it: to step over values. These functions move along a line of JSON. */

static const char *skip_space(const char *at) {
    return at + strspn(at, " \t\r\n");
}

/* What comes after the string that starts at `at`. */
static const char *skip_string(const char *at) {
    for (at++; *at && *at != '"'; at++)
        if (*at == '\\' && at[1])
            at++;
    return *at ? at + 1 : at;
}

/* What comes after the value that starts at `at`: a string, a number or word, or all that is in brackets. */
static const char *skip_value(const char *at) {
    int depth = 0;
    while (*at) {
        if (*at == '"') {
            at = skip_string(at);
        } else if (strchr("[]{}:,", *at)) {
            depth += (*at == '[' || *at == '{') - (*at == ']' || *at == '}');
            at++;
        } else {
            at += strcspn(at, " \t\r\n[]{}:,\"");
        }
        at = skip_space(at);
        if (depth <= 0)
            break;
    }
    return at;
}

/* The first part of an array or object and then, part by part, the next; NULL after the last.
   The parts of an object are name, value, name, value, and so on. */
static const char *first_part(const char *value) {
    if (*value != '[' && *value != '{')
        return NULL;
    value = skip_space(value + 1);
    return *value == ']' || *value == '}' ? NULL : value;
}

static const char *next_part(const char *part) {
    part = skip_value(part);
    return *part == ',' || *part == ':' ? skip_space(part + 1) : NULL;
}

/* The value of a field of an object, or NULL. The name comes with its quotes. */
static const char *field(const char *object, const char *name) {
    const char *part = first_part(object);
    while (part) {
        const char *value = next_part(part);
        if (!value || strncmp(part, name, strlen(name)) == 0)
            return value;
        part = next_part(value);
    }
    return NULL;
}

static int length(const char *array) {
    int parts = 0;
    for (const char *part = first_part(array); part; part = next_part(part))
        parts++;
    return parts;
}

/* The index in `legal` of the action to play. Replace the random choice with your own. */
static int decide(const char *request) {
    return rand() % length(field(request, "\"legal\""));
}

int main(void) {
    char *line = NULL;
    size_t size = 0;
    while (getline(&line, &size, stdin) > 0) {
        const char *message = skip_space(line);
        const char *type = field(message, "\"type\"");
        const char *seed = field(message, "\"seed\"");
        if (seed)
            srand((unsigned)strtoul(seed, NULL, 10));
        if (type && strncmp(type, "\"request\"", 9) == 0) {
            long number = strtol(field(message, "\"number\""), NULL, 10);
            printf("{\"type\":\"action\",\"number\":%ld,\"choice\":%d}\n", number, decide(message));
            fflush(stdout);
        }
    }
    free(line);
    return 0;
}
