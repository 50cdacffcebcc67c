/* A bot for rails-cli that looks one move ahead. The rules are in a child process, `rails-cli engine`: the bot forwards
   what it is told, asks what every promising run of moves would lead to, and plays the first move of the best. With
   `--looks N` or `--ms N`, the engine searches for it instead: N iterations or N milliseconds for each move. */

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* The part of an array with this number, from 0; NULL if there is none. */
static const char *part_of(const char *array, int number) {
    const char *part = array ? first_part(array) : NULL;
    while (part && number-- > 0)
        part = next_part(part);
    return part;
}

/* The value of a field of an object, or NULL. The name comes with its quotes. */
static const char *field(const char *object, const char *name) {
    const char *part = object && *object == '{' ? first_part(object) : NULL;
    while (part) {
        const char *value = next_part(part);
        if (!value || strncmp(part, name, strlen(name)) == 0)
            return value;
        part = next_part(value);
    }
    return NULL;
}

static int is_word(const char *value, const char *word) {
    return value && strncmp(value, word, strlen(word)) == 0;
}

/* The engine: a child process, and the line that it has answered with. */

static FILE *to_engine, *from_engine;
static char *answer;
static size_t answer_size;

/* A shell runs it, as the command may have several words. */
static void start_engine(const char *command) {
    int asked[2], answered[2];
    if (pipe(asked) || pipe(answered)) {
        perror("pipe");
        exit(1);
    }
    signal(SIGPIPE, SIG_IGN); /* an engine that is gone is noticed when it does not answer */
    if (fork() == 0) {
        dup2(asked[0], 0);
        dup2(answered[1], 1);
        close(asked[0]), close(asked[1]), close(answered[0]), close(answered[1]);
        execl("/bin/sh", "sh", "-c", "eval \"exec $0 engine\"", command, (char *)NULL);
        perror("/bin/sh");
        _exit(127);
    }
    close(asked[0]), close(answered[1]);
    to_engine = fdopen(asked[1], "w");
    from_engine = fdopen(answered[0], "r");
}

/* Reads the answer to what was written; an empty line if there is none. */
static const char *ask_engine(void) {
    fputc('\n', to_engine);
    fflush(to_engine);
    if (getline(&answer, &answer_size, from_engine) <= 0)
        return "";
    return skip_space(answer);
}

/* The first move of the run that promises most to a seat, or -1. To improve the bot, look at more than one move. */
static long best_move(const char *request, int length, int has_secrets, long seed) {
    fprintf(to_engine, "[%.*s", length, request);
    if (has_secrets) /* some guesses at what is hidden, beside the first */
        fprintf(to_engine, ",{\"type\":\"imagine\",\"count\":7,\"seed\":%ld,\"at\":1}", seed);
    fprintf(to_engine, ",{\"type\":\"children\",\"at\":%s}]", has_secrets ? "[0,1,2,3,4,5,6,7]" : "0");
    const char *children = part_of(ask_engine(), has_secrets ? 2 : 1);
    const char *seat = field(request, "\"seat\""), *runs = field(children, "\"runs\"");
    const char *payoffs = field(children, "\"payoffs\"");
    if (!seat || !runs || !payoffs)
        return -1;
    long move = -1;
    double most = -1;
    const char *run = first_part(runs), *by_seat = first_part(payoffs);
    while (run && by_seat) {
        const char *ours = part_of(by_seat, atoi(seat)), *first = first_part(run);
        if (ours && first && strtod(ours, NULL) > most) {
            most = strtod(ours, NULL);
            move = strtol(first, NULL, 10);
        }
        run = next_part(run);
        by_seat = next_part(by_seat);
    }
    return move;
}

/* The first move of the best run that the engine finds in a search, or -1. `limit` is "looks" or "budget_ms". */
static long searched_move(const char *request, int length, const char *limit, long amount, long seed) {
    fprintf(to_engine, "[%.*s,{\"type\":\"search\",\"%s\":%ld,\"seed\":%ld}]", length, request, limit, amount, seed);
    const char *first = part_of(part_of(field(part_of(ask_engine(), 1), "\"runs\""), 0), 0);
    return first ? strtol(first, NULL, 10) : -1;
}

int main(int count, char **words) {
    const char *limit = NULL;
    long amount = 0;
    if (count > 2 && (is_word(words[1], "--looks") || is_word(words[1], "--ms"))) {
        limit = is_word(words[1], "--ms") ? "budget_ms" : "looks";
        amount = strtol(words[2], NULL, 10);
        words += 2, count -= 2;
    }
    char *line = NULL;
    size_t size = 0;
    int has_secrets = 0;
    long seed = 1;
    const char *told = getenv("RAILS_CLI"); /* how to run the program that has started this bot */
    start_engine(count > 1 ? words[1] : told ? told : "rails-cli");
    while (getline(&line, &size, stdin) > 0) {
        const char *message = skip_space(line);
        const char *type = field(message, "\"type\"");
        int length = (int)strcspn(message, "\r\n");
        if (is_word(type, "\"start\"")) {
            fprintf(to_engine, "%.*s", length, message);
            const char *given = field(message, "\"seed\"");
            seed = given ? strtol(given, NULL, 10) : 1;
            has_secrets = is_word(field(ask_engine(), "\"has_secrets\""), "true");
        } else if (is_word(type, "\"request\"")) {
            long number = strtol(field(message, "\"number\""), NULL, 10);
            long move = limit ? searched_move(message, length, limit, amount, seed)
                              : best_move(message, length, has_secrets, seed);
            const char *action = NULL;
            if (move >= 0) {
                fprintf(to_engine, "{\"type\":\"actions\",\"moves\":[%ld]}", move);
                action = part_of(field(ask_engine(), "\"actions\""), 0);
            }
            if (action) {
                int end = (int)(skip_value(action) - action);
                printf("{\"type\":\"action\",\"number\":%ld,\"action\":%.*s}\n", number, end, action);
            } else { /* what cannot be looked at is left to the default */
                long choice = strtol(field(message, "\"default\""), NULL, 10);
                printf("{\"type\":\"action\",\"number\":%ld,\"choice\":%ld}\n", number, choice);
            }
            fflush(stdout);
        }
    }
    return 0; /* the engine ends when its input does */
}
