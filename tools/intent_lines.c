/*
 * Reading and expanding labelled queries.
 */
#include "intent_lines.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <zstd.h>

#define FILE_MAX ((size_t)64 << 20)
#define LISTS_MAX 64
#define ITEMS_MAX 2048
#define TEXT_MAX 1024

/* One draw in so many names unknown goods. */
#define MADE_UP_SHARE 3

struct list {
    struct ads_str name;
    struct ads_str item[ITEMS_MAX];
    size_t n;
};

struct expander {
    const char *path;
    unsigned line_no;
    uint64_t random;
    struct list *lists;
    size_t n_lists;
    bool makes_up; /* goods are given unknown names */
};

static const char *const openings[] = {
    "hi ", "hey ", "hello, ", "please ", "ok so ", "quick question: ", "um "};
static const char *const closings[] = {" please", " thanks", " asap",  " today",
                                       " now",    " pls",    " for me"};


static void __attribute__((format(printf, 1, 2), noreturn))
die(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(1);
}


static void *
allocate(void *old, size_t size)
{
    void *memory = realloc(old, size);

    if (memory == NULL) {
        die("out of memory");
    }
    return memory;
}


static struct ads_str
file_read(const char *path)
{
    struct ads_str text = {NULL, 0};
    char *bytes = allocate(NULL, FILE_MAX);
    FILE *file = fopen(path, "rb");
    size_t len;

    if (file == NULL) {
        die("%s: cannot be opened", path);
    }
    len = fread(bytes, 1, FILE_MAX, file);
    if (ferror(file) || len == FILE_MAX) {
        die("%s: cannot be read, or longer than %zu bytes", path, FILE_MAX);
    }
    (void)fclose(file);

    if (len > 4 && memcmp(bytes, "\x28\xb5\x2f\xfd", 4) == 0) {
        char *plain = allocate(NULL, FILE_MAX);
        size_t n = ZSTD_decompress(plain, FILE_MAX, bytes, len);

        if (ZSTD_isError(n)) {
            die("%s: %s", path, ZSTD_getErrorName(n));
        }
        free(bytes);
        bytes = plain;
        len = n;
    }

    text.ptr = bytes;
    text.len = len;
    return text;
}


/* Takes what is before the next `separator` off *rest. */
static struct ads_str
field_take(struct ads_str *rest, char separator)
{
    const char *at = memchr(rest->ptr, separator, rest->len);
    struct ads_str field = *rest;

    if (at == NULL) {
        rest->ptr += rest->len;
        rest->len = 0;
        return field;
    }

    field.len = (size_t)(at - rest->ptr);
    rest->ptr += field.len + 1;
    rest->len -= field.len + 1;
    return field;
}


static const char *
copy(struct ads_str text)
{
    char *bytes = allocate(NULL, text.len + 1);

    memcpy(bytes, text.ptr, text.len);
    bytes[text.len] = '\0';
    return bytes;
}


void
intent_lines_add(struct intent_lines *lines, struct intent_line line)
{
    if ((lines->n & (lines->n - 1)) == 0) { /* full at each power of two */
        lines->line = allocate(lines->line, (lines->n == 0 ? 1 : 2 * lines->n)
                                                * sizeof(line));
    }
    lines->line[lines->n++] = line;
}


static bool
is_label(struct ads_str field)
{
    return field.len == 1 && (*field.ptr == '0' || *field.ptr == '1');
}


void
intent_lines_read(struct intent_lines *lines, const char *path)
{
    struct ads_str rest = file_read(path);
    unsigned line_no = 0;

    while (rest.len > 0) {
        struct ads_str line = field_take(&rest, '\n');
        struct ads_str label = field_take(&line, '\t');
        struct ads_str source = field_take(&line, '\t');

        line_no++;
        if (!is_label(label) || source.len == 0 || line.len == 0) {
            die("%s:%u: expected label<TAB>source<TAB>text", path, line_no);
        }
        intent_lines_add(lines,
                         (struct intent_line){.source = copy(source),
                                              .text = line,
                                              .commercial = *label.ptr == '1'});
    }
}


/* SplitMix64: small, and the same everywhere. */
static uint64_t
random_next(struct expander *expander)
{
    uint64_t value = expander->random += 0x9e3779b97f4a7c15u;

    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9u;
    value = (value ^ value >> 27) * 0x94d049bb133111ebu;
    return value ^ value >> 31;
}


static size_t
random_below(struct expander *expander, size_t n)
{
    return random_next(expander) % n;
}


static struct list *
list_find(struct expander *expander, struct ads_str name)
{
    for (size_t i = 0; i < expander->n_lists; i++) {
        struct list *list = &expander->lists[i];

        if (list->name.len == name.len
            && memcmp(list->name.ptr, name.ptr, name.len) == 0)
        {
            return list;
        }
    }
    return NULL;
}


static void
list_extend(struct expander *expander, struct ads_str name, struct ads_str rest)
{
    struct list *list = list_find(expander, name);

    if (list == NULL) {
        if (expander->n_lists == LISTS_MAX) {
            die("%s:%u: too many lists", expander->path, expander->line_no);
        }
        list = &expander->lists[expander->n_lists++];
        list->name = name;
        list->n = 0;
    }

    while (rest.len > 0) {
        struct ads_str item = field_take(&rest, ',');

        while (item.len > 0 && *item.ptr == ' ') {
            item.ptr++;
            item.len--;
        }
        if (item.len == 0 || list->n == ITEMS_MAX) {
            die("%s:%u: an empty item, or too many", expander->path,
                expander->line_no);
        }
        list->item[list->n++] = item;
    }
}


static size_t
text_add(char *text, size_t len, struct ads_str part)
{
    if (part.len > TEXT_MAX - len) {
        part.len = TEXT_MAX - len;
    }
    memcpy(text + len, part.ptr, part.len);
    return len + part.len;
}


static struct ads_str
string(const char *text)
{
    return (struct ads_str){text, strlen(text)};
}


static bool
is_goods(struct ads_str name)
{
    static const char goods[] = "product";

    return name.len == strlen(goods) && memcmp(name.ptr, goods, name.len) == 0;
}


/* Adds one or two words that are none, of letters that hardly meet, so that
 * nothing is learned about words that are. */
static size_t
name_make_up(struct expander *expander, char *text, size_t len)
{
    static const char letters[] = "bcdfghjklmnpqrstvwxz";
    size_t words = 1 + random_below(expander, 2);

    for (size_t i = 0; i < words; i++) {
        size_t n = 4 + random_below(expander, 6);

        if (i > 0) {
            len = text_add(text, len, string(" "));
        }
        for (; n > 0; n--) {
            len = text_add(
                text, len,
                (struct ads_str){
                    &letters[random_below(expander, sizeof(letters) - 1)], 1});
        }
    }
    return len;
}


/* Writes the frame with each slot filled; returns the length. */
static size_t
frame_fill(struct expander *expander, struct ads_str frame, char *text)
{
    size_t len = 0;

    while (frame.len > 0) {
        const char *before = frame.ptr;
        struct ads_str plain = field_take(&frame, '{');
        struct ads_str name;
        struct list *list;

        len = text_add(text, len, plain);
        if (frame.ptr == before + plain.len) {
            break; /* no further slot */
        }
        name = field_take(&frame, '}');
        list = list_find(expander, name);
        if (list == NULL) {
            die("%s:%u: no such list", expander->path, expander->line_no);
        }
        if (expander->makes_up && is_goods(name)) {
            len = name_make_up(expander, text, len);
            continue;
        }
        len = text_add(text, len, list->item[random_below(expander, list->n)]);
    }
    return len;
}


/* What people do to a query besides its words. */
static size_t
text_vary(struct expander *expander, char *text, size_t len)
{
    if (random_below(expander, 4) == 0 && text[len - 1] == '?') {
        len--;
    }
    if (random_below(expander, 12) == 0 && len > 8) {
        size_t at = 1 + random_below(expander, len - 3);

        if (isalpha((unsigned char)text[at])
            && isalpha((unsigned char)text[at + 1])) {
            char letter = text[at];

            text[at] = text[at + 1];
            text[at + 1] = letter;
        }
    }
    if (random_below(expander, 5) == 0) {
        text[0] = (char)toupper((unsigned char)text[0]);
    }
    return len;
}


static void
frame_draw(struct expander *expander, struct ads_str frame, char *text,
           struct ads_str *drawn)
{
    size_t len = 0;
    bool decorated = frame.len > 20 && random_below(expander, 6) == 0;

    if (decorated && random_below(expander, 2) == 0) {
        len = text_add(text, len,
                       string(openings[random_below(
                           expander, sizeof(openings) / sizeof(*openings))]));
    }
    len += frame_fill(expander, frame, text + len);
    if (decorated && len < TEXT_MAX / 2 && text[len - 1] != '?') {
        len = text_add(text, len,
                       string(closings[random_below(
                           expander, sizeof(closings) / sizeof(*closings))]));
    }
    len = text_vary(expander, text, len);
    *drawn = (struct ads_str){text, len};
}


/* The list that a frame of one slot and nothing else names, or NULL. */
static struct list *
frame_list(struct expander *expander, struct ads_str frame)
{
    if (*frame.ptr != '{' || memchr(frame.ptr, '}', frame.len - 1) != NULL) {
        return NULL;
    }
    return list_find(expander, (struct ads_str){frame.ptr + 1, frame.len - 2});
}


static void
frame_expand(struct expander *expander, struct intent_lines *lines,
             bool commercial, struct ads_str frame, unsigned draws)
{
    struct list *list = frame_list(expander, frame);
    struct ads_str drawn = frame;
    char text[2 * TEXT_MAX];

    if (list != NULL) {
        draws = (unsigned)list->n;
    } else if (memchr(frame.ptr, '{', frame.len) == NULL) {
        draws = 2;
    }

    for (unsigned i = 0; i < draws; i++) {
        if (list != NULL) {
            drawn = list->item[i];
        } else {
            frame_draw(expander, frame, text, &drawn);
            drawn.ptr = copy(drawn);
        }
        intent_lines_add(lines, (struct intent_line){.source = "own",
                                                     .text = drawn,
                                                     .commercial = commercial});
    }
}


/* Does the frame say something about goods, beyond naming them? */
static bool
frame_speaks(struct ads_str frame)
{
    bool speaks = false;
    bool goods = false;

    while (frame.len > 0) {
        struct ads_str plain = field_take(&frame, '{');

        for (size_t i = 0; i < plain.len; i++) {
            speaks = speaks || isalpha((unsigned char)plain.ptr[i]);
        }
        goods = is_goods(field_take(&frame, '}')) || goods;
    }
    return speaks && goods;
}


/* Takes the next line that is no comment; false at the end. */
static bool
line_take(struct expander *expander, struct ads_str *rest, struct ads_str *head,
          struct ads_str *line)
{
    while (rest->len > 0) {
        *line = field_take(rest, '\n');
        *head = field_take(line, '\t');
        expander->line_no++;
        if (head->len == 0 || *head->ptr == '#') {
            continue;
        }
        if (line->len == 0 || (*head->ptr != '@' && !is_label(*head))) {
            die("%s:%u: expected @list, 0 or 1, then a tab", expander->path,
                expander->line_no);
        }
        return true;
    }
    return false;
}


static void
lists_read(struct expander *expander, struct ads_str rest)
{
    struct ads_str head, line;

    expander->line_no = 0;
    while (line_take(expander, &rest, &head, &line)) {
        if (*head.ptr == '@') {
            head.ptr++;
            head.len--;
            list_extend(expander, head, line);
        }
    }
}


static void
frames_read(struct expander *expander, struct intent_lines *lines,
            struct ads_str rest, unsigned draws)
{
    struct ads_str head, line;

    expander->line_no = 0;
    while (line_take(expander, &rest, &head, &line)) {
        if (*head.ptr != '@' && (!expander->makes_up || frame_speaks(line))) {
            frame_expand(expander, lines, *head.ptr == '1', line, draws);
        }
    }
}


/* Lists first, since a frame may stand above its list.  Frames about goods are
 * drawn again with made-up names, so that of "buy a" and a name that was never
 * met the words around it decide, and not its letters. */
void
intent_lines_expand(struct intent_lines *lines, const char *path,
                    unsigned draws)
{
    struct ads_str file = file_read(path);
    struct expander expander = {.path = path, .random = 1};

    expander.lists = allocate(NULL, LISTS_MAX * sizeof(struct list));

    lists_read(&expander, file);
    frames_read(&expander, lines, file, draws);
    expander.makes_up = true;
    frames_read(&expander, lines, file, draws / MADE_UP_SHARE);
    free(expander.lists);
}


void
intent_lines_read_natural(struct intent_lines *lines, const char *path)
{
    struct ads_str rest = file_read(path);

    for (unsigned line_no = 1; rest.len > 0; line_no++) {
        struct ads_str line = field_take(&rest, '\n');
        struct ads_str label = field_take(&line, '\t');
        struct intent_line read = {.source = "natural"};

        read.language = field_take(&line, '\t');
        (void)field_take(&line, '\t'); /* style */
        read.kinds = field_take(&line, '\t');
        read.text = line;
        read.fold = (unsigned)(lines->n % INTENT_FOLDS);
        read.commercial = ads_str_is(label, "SHOW");
        if (line.len == 0 || (!read.commercial && !ads_str_is(label, "NO_AD")))
        {
            die("%s:%u: not a line of five fields", path, line_no);
        }
        if (ads_str_is(read.kinds, "-")) {
            read.kinds.len = 0;
        }
        intent_lines_add(lines, read);
    }
}
