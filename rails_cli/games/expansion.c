/* The loops of `Expander.expand` (observations.py) and of the masks of `Batch` (library/batch.py) for compiled wheels.

   Without this module the same is done with numpy, whose operations on short rows take several times as long. The
   arrays are those of the class Expander, which says what they contain. It checks indices, which are not checked
   here. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <string.h>

_Static_assert(sizeof(Py_ssize_t) == sizeof(int64_t), "arrays of indices must have 64 bits");

#define PARTS 4
enum { OWNERS, BITMASKS };

typedef struct {
    int64_t kind, offset, byte, length, seats;
} SeatMap;

/* Write the dividends of all companies, and after them the earnings of all seats, to `dividends`, the end of `row`.
   `held` has the byte of each seat and company, and `income` that of each company. */
static void add_dividends(uint8_t *row, const int64_t *held, Py_ssize_t seats, const int64_t *income,
                          Py_ssize_t companies, uint8_t *dividends)
{
    for (Py_ssize_t company = 0; company < companies; company++) {
        int sold = 0;
        for (Py_ssize_t seat = 0; seat < seats; seat++)
            sold += row[held[seat * companies + company]];
        dividends[company] = sold ? (uint8_t)((row[income[company]] + sold - 1) / sold) : 0;
    }
    for (Py_ssize_t seat = 0; seat < seats; seat++) {
        int sum = 0;
        for (Py_ssize_t company = 0; company < companies; company++)
            sum += row[held[seat * companies + company]] * dividends[company];
        dividends[companies + seat] = (uint8_t)(sum < 255 ? sum : 255);
    }
}

/* Write the bits of the bytes `now` that differ from `before`, and copy `now` to `before`. Writing all bits takes longer,
   because the observations of a batch are larger than the caches of most processors. */
static void write_changes(const uint8_t *now, uint8_t *before, Py_ssize_t count, const int64_t *targets,
                          float *observation)
{
    if (memcmp(now, before, (size_t)count) == 0)
        return;
    for (Py_ssize_t byte = 0; byte < count; byte++) {
        const int changed = now[byte] ^ before[byte];
        for (int bit = 0; changed >> bit; bit++)
            if (changed >> bit & 1 && targets[byte * 8 + bit] >= 0)
                observation[targets[byte * 8 + bit]] = (float)(now[byte] >> bit & 1);
    }
    memcpy(before, now, (size_t)count);
}

static void write_seat_map(const uint8_t *row, const SeatMap *map, int64_t observer, float *observation)
{
    const int64_t width = (map->length + 63) / 64 * 8;
    float *out = observation + map->offset;
    for (int64_t number = 0; number < map->seats; number++) {
        const int64_t seat = (observer + number) % map->seats;
        const uint8_t *first = row + map->byte;
        if (map->kind == OWNERS)
            for (int64_t element = 0; element < map->length; element++)
                *out++ = (float)(first[element] == seat);
        else
            for (int64_t element = 0; element < map->length; element++)
                *out++ = (float)(first[seat * width + element / 8] >> element % 8 & 1);
    }
}

PyDoc_STRVAR(expand_doc,
"expand(players, numbers, amounts, words, pieces, observers, sources, starts, high_columns, tables,\n"
"       held, income, first_map_byte, targets, seat_maps, written_bytes, row_bytes, before, observations)\n"
"\n"
"Write the observations of all rows. See `Expander.expand`.");

static PyObject *expand(PyObject *module, PyObject *args)
{
    Py_buffer parts[PARTS], observers, sources, starts, high_columns, tables, held, income, targets, seat_maps;
    Py_buffer before, observations;
    Py_ssize_t players, first_map_byte, written_bytes, row_bytes;
    if (!PyArg_ParseTuple(args, "ny*y*y*y*y*y*y*y*y*y*y*ny*y*nnw*w*", &players, &parts[0], &parts[1], &parts[2],
                          &parts[3], &observers, &sources, &starts, &high_columns, &tables, &held, &income,
                          &first_map_byte, &targets, &seat_maps, &written_bytes, &row_bytes, &before, &observations))
        return NULL;

    const Py_ssize_t count = observers.len / (Py_ssize_t)sizeof(int64_t);
    const Py_ssize_t lookups = sources.len / (Py_ssize_t)sizeof(int64_t) / players;
    const Py_ssize_t highs = high_columns.len / (Py_ssize_t)sizeof(int64_t), columns = lookups - highs;
    const Py_ssize_t companies = income.len / (Py_ssize_t)sizeof(int64_t);
    const Py_ssize_t map_bytes = targets.len / (Py_ssize_t)sizeof(int64_t[8]);
    const Py_ssize_t maps = seat_maps.len / (Py_ssize_t)sizeof(SeatMap);
    const Py_ssize_t width = count ? observations.len / (Py_ssize_t)sizeof(float) / count : 0;
    const int64_t *observer = observers.buf, *high = high_columns.buf;
    const float *table = tables.buf;
    uint8_t *row = PyMem_Malloc((size_t)row_bytes);
    if (row == NULL)
        PyErr_NoMemory();

    for (Py_ssize_t number = 0; row != NULL && number < count; number++) {
        uint8_t *end = row;
        for (int part = 0; part < PARTS; part++) {
            const Py_ssize_t size = parts[part].len / count;
            if (parts[part].len % count || size > written_bytes - (end - row))
                break;
            memcpy(end, (const uint8_t *)parts[part].buf + number * size, (size_t)size);
            end += size;
        }
        if (end - row != written_bytes || observer[number] < 0 || observer[number] >= players) {
            PyErr_Format(PyExc_ValueError, "row %zd does not fit to the layout", number);
            break;
        }
        if (companies)
            add_dividends(row, held.buf, players, income.buf, companies, end);
        const int64_t *byte = (const int64_t *)sources.buf + observer[number] * lookups;
        const int64_t *start = (const int64_t *)starts.buf + observer[number] * lookups;
        float *out = (float *)observations.buf + number * width;
        for (Py_ssize_t column = 0; column < columns; column++)
            out[column] = table[start[column] + row[byte[column]]];
        for (Py_ssize_t column = 0; column < highs; column++)
            out[high[column]] += table[start[columns + column] + row[byte[columns + column]]];
        write_changes(row + first_map_byte, (uint8_t *)before.buf + number * map_bytes, map_bytes, targets.buf, out);
        for (Py_ssize_t map = 0; map < maps; map++)
            write_seat_map(row, (const SeatMap *)seat_maps.buf + map, observer[number], out);
    }

    PyMem_Free(row);
    Py_buffer *used[] = {&parts[0], &parts[1], &parts[2], &parts[3], &observers, &sources, &starts, &high_columns,
                         &tables, &held, &income, &targets, &seat_maps, &before,
                         &observations};
    for (size_t number = 0; number < sizeof used / sizeof *used; number++)
        PyBuffer_Release(used[number]);
    if (PyErr_Occurred())
        return NULL;
    Py_RETURN_NONE;
}

PyDoc_STRVAR(mark_doc,
"mark(masks, moves, counts)\n"
"\n"
"Set `masks` to 1 for the legal moves of each game and to 0 for all others. `moves` has the moves of all games in one\n"
"list, and `counts` their number for each game. Moves that have no place in a mask are ignored.");

static PyObject *mark(PyObject *module, PyObject *args)
{
    Py_buffer masks;
    PyObject *moves, *counts;
    if (!PyArg_ParseTuple(args, "w*O!O!", &masks, &PyList_Type, &moves, &PyList_Type, &counts))
        return NULL;
    const Py_ssize_t games = PyList_GET_SIZE(counts), all = PyList_GET_SIZE(moves);
    const Py_ssize_t size = games ? masks.len / games : 0;
    Py_ssize_t next = 0;
    memset(masks.buf, 0, (size_t)masks.len);
    for (Py_ssize_t game = 0; game < games && !PyErr_Occurred(); game++) {
        uint8_t *mask = (uint8_t *)masks.buf + game * size;
        Py_ssize_t stop = next + PyLong_AsSsize_t(PyList_GET_ITEM(counts, game));
        for (stop = stop < all ? stop : all; next < stop; next++) {
            const Py_ssize_t move = PyLong_AsSsize_t(PyList_GET_ITEM(moves, next));
            if (0 <= move && move < size)
                mask[move] = 1;
        }
    }
    PyBuffer_Release(&masks);
    if (PyErr_Occurred())
        return NULL;
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"expand", expand, METH_VARARGS, expand_doc},
    {"mark", mark, METH_VARARGS, mark_doc},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "rails_cli.games.expansion", "Loops of observations and masks in C.", 0, methods,
};

PyMODINIT_FUNC PyInit_expansion(void)
{
    return PyModule_Create(&definition);
}
