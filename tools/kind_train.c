/*
 * Trains adsd/tables/goods_kind_model.h, which says which of the kinds that a
 * product's texts name it is, or none, by a conditional logistic regression
 * over the signs of adsd/tables/goods_signs.h.
 *
 *     kind_train [-g GOODS] [-t] LABELS PRODUCTS... > goods_kind_model.h
 *     kind_train [-g GOODS] -c LABELS PRODUCTS...
 *
 * LABELS    tab-separated: a product's id, its kinds, how many products of its
 *           catalogue it stands for (data/kinds/README.md)
 * PRODUCTS  JSON lines: id, title, brand, category, description
 * -g        folder of the ontology (data/goods)
 * -t        prints to standard error how often the choice is right on products
 *           that were left out
 * -c        prints how often the model as it is compiled in is right, and
 *           writes none; twice: also each product that it is wrong about
 *
 * Full batches, so the same labels give the same weights.
 */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "ads_index.h"
#include "base/pool.h"
#include "tables/goods.h"
#include "tables/goods_taken.h"

#define FOLDS 5
#define STEPS 800
#define RATE 2.0
#define DECAY 1.5e-3  /* pull towards the guess */
#define NEARLY 0.6    /* of an answer that is right, but not the most exact */
#define UNKNOWN 0.5   /* what a product weighs that is of no kind it names */
#define LEAST 0.35    /* chance of a kind that is believed */
#define SURE 17       /* points of how often a chance comes true */
#define SURE_ROWS 12  /* that the straight line through all is worth */
#define STANDS_MOST 5 /* times the average */
#define KINDS_MAX 8   /* of a product */

/*
 * What a person would guess of each sign, in nats: the weights stay near it
 * where labels say little.
 */
static const double guess[GOODS_SIGN_END] = {
    [GOODS_SIGN_ANY] = -1.5,
    [GOODS_SIGN_TITLE] = 0.8,
    [GOODS_SIGN_TWO_WORDS] = 0.6,
    [GOODS_SIGN_MORE_WORDS] = 1,
    [GOODS_SIGN_DOUBTFUL] = -2,
    [GOODS_SIGN_FOREIGN] = -3,
    [GOODS_SIGN_PIECE_NAME] = 0.8,
    [GOODS_SIGN_FIRST] = 0.6,
    [GOODS_SIGN_LATER] = -0.4,
    [GOODS_SIGN_HEAD] = 1,
    [GOODS_SIGN_FIRST_ENDS] = 0.4,
    [GOODS_SIGN_FOR] = -3,
    [GOODS_SIGN_WITH] = -1,
    [GOODS_SIGN_WITHOUT] = -2,
    [GOODS_SIGN_INNER] = -1,
    [GOODS_SIGN_PIECE] = -3,
    [GOODS_SIGN_PIECE_BEHIND] = -1,
    [GOODS_SIGN_PIECE_BEFORE] = -0.6,
    [GOODS_SIGN_TRAILED] = -0.6,
    [GOODS_SIGN_BELONGS] = 0.6,
    [GOODS_SIGN_OWNS_BEFORE] = -1,
    [GOODS_SIGN_OWNS_BEHIND] = -1,
    [GOODS_SIGN_EXTRA] = -1,
    [GOODS_SIGN_BROAD] = -0.8,
    [GOODS_SIGN_NARROWER] = 0.4,
    [GOODS_SIGN_CATEGORY_SAME] = 1.5,
    [GOODS_SIGN_TOLD_SAME] = 0.4,
    [GOODS_SIGN_CATEGORY_WIDER] = 0.8,
    [GOODS_SIGN_CATEGORY_AGAINST] = -2.5,
};

struct candidate {
    struct goods_signs signs;
    uint32_t kind;
    double right; /* 0, NEARLY or 1 */
};

/* A product that has a label: `n` candidates from `first` on. */
struct sample {
    size_t first;
    unsigned n;
    unsigned fold;
    double stands_for;
    bool known;                        /* some kind is right */
    bool named;                        /* and is among the candidates */
    enum { NONE, WRONG, RIGHT } taken; /* by the model compiled in */
    uint8_t sure;
};

struct samples {
    struct sample *list;
    size_t n;
    size_t room;
    struct candidate *candidates;
    size_t n_candidates;
    size_t candidates_room;
};

struct label {
    const char *id;
    double stands_for;
    bool met;
    unsigned n;
    uint32_t kinds[KINDS_MAX];
};

struct labels {
    struct label *list;
    size_t n;
    size_t room;
};

struct trainer {
    struct ads_goods goods;
    struct goods_taker *taker;
    struct pool *pool;
    struct samples samples;
    int told; /* how much -c tells */
};


static void
fail(const char *what, const char *of)
{
    fprintf(stderr, "kind_train: %s: %s\n", of, what);
    exit(1);
}


/* ---- labels and products ------------------------------------------------- */

static void
label_read(const struct trainer *trainer, struct label *label, char *kinds)
{
    char *rest = kinds, *word;

    while ((word = strtok_r(rest, " \n", &rest)) != NULL) {
        uint32_t kind = ads_goods_find(&trainer->goods,
                                       (struct ads_str){word, strlen(word)});

        if (kind == ADS_GOODS_NONE && strcmp(word, "-") != 0) {
            fail("no such kind", word);
        }
        if (kind != ADS_GOODS_NONE && label->n < KINDS_MAX) {
            label->kinds[label->n++] = kind;
        }
    }
}


/* Makes what they stand for 1 on average, so that a large catalogue counts no
 * more than a small one, and none more than STANDS_MOST. */
static void
labels_balance(struct labels *labels)
{
    double all = 0;

    for (size_t i = 0; i < labels->n; i++) {
        all += labels->list[i].stands_for;
    }
    for (size_t i = 0; i < labels->n; i++) {
        double *stands_for = &labels->list[i].stands_for;

        *stands_for = fmin(*stands_for * (double)labels->n / all, STANDS_MOST);
    }
}


static void
labels_read(const struct trainer *trainer, struct labels *labels,
            const char *path)
{
    FILE *file = fopen(path, "re");
    char *line = NULL;
    size_t size = 0;

    if (file == NULL) {
        fail("cannot be read", path);
    }
    while (getline(&line, &size, file) > 0) {
        char *tab = strchr(line, '\t'), *end;
        struct label *label;

        if (tab == NULL) {
            fail("a line without a tab", path);
        }
        if (labels->n == labels->room) {
            labels->room = 2 * labels->room + 1024;
            labels->list =
                xrealloc(labels->list, labels->room * sizeof(*labels->list));
        }
        label = &labels->list[labels->n++];
        *label = (struct label){0};
        *tab = '\0';
        label->stands_for = 1;
        end = strchr(tab + 1, '\t');
        if (end != NULL) {
            *end = '\0';
            label->stands_for = strtod(end + 1, NULL);
        }
        label->id =
            pool_text(trainer->pool, (struct ads_str){line, strlen(line)});
        label_read(trainer, label, tab + 1);
    }
    free(line);
    (void)fclose(file);
    labels_balance(labels);
}


static int
label_compare(const void *a, const void *b)
{
    const struct label *one = a, *other = b;

    return strcmp(one->id, other->id);
}


static struct label *
label_find(const struct labels *labels, const char *id)
{
    const struct label key = {.id = id == NULL ? "" : id};

    return labels->n == 0 ? NULL
                          : bsearch(&key, labels->list, labels->n, sizeof(key),
                                    label_compare);
}


static struct ads_str
text_of(const json_t *product, const char *key)
{
    const char *text = json_string_value(json_object_get(product, key));

    text = text == NULL ? "" : text;
    return (struct ads_str){text, strlen(text)};
}


static struct ads_str
lines_of(struct pool *pool, const json_t *array)
{
    struct ads_str text = {.ptr = "", .len = 0};
    const json_t *value;
    size_t i;

    json_array_foreach(array, i, value)
    {
        text.ptr = pool_format(pool, &text.len, "%s%s\n", text.ptr,
                               json_string_value(value));
    }
    return text;
}


static double
right_of(const struct label *label, uint32_t kind)
{
    for (unsigned i = 0; i < label->n; i++) {
        if (label->kinds[i] == kind) {
            return i == 0 ? 1 : NEARLY;
        }
    }
    return 0;
}


static struct sample *
sample_add(struct samples *samples, const struct label *label)
{
    struct sample *sample;

    if (samples->n == samples->room) {
        samples->room = 2 * samples->room + 4096;
        samples->list =
            xrealloc(samples->list, samples->room * sizeof(*samples->list));
    }
    sample = &samples->list[samples->n++];
    *sample = (struct sample){
        .first = samples->n_candidates,
        .fold = (unsigned)(ads_index_hash(label->id, strlen(label->id)) >> 7)
                % FOLDS,
        .stands_for = label->stands_for,
        .known = label->n > 0,
    };
    return sample;
}


static void
candidate_add(struct samples *samples, const struct goods_candidate *one,
              double right)
{
    if (samples->n_candidates == samples->candidates_room) {
        samples->candidates_room = 2 * samples->candidates_room + 4096;
        samples->candidates =
            xrealloc(samples->candidates,
                     samples->candidates_room * sizeof(*samples->candidates));
    }
    samples->candidates[samples->n_candidates++] =
        (struct candidate){one->signs, one->kind, right};
    samples->list[samples->n - 1].n++;
    samples->list[samples->n - 1].named |= right > 0;
}


static void
wrong_print(const struct trainer *trainer, const struct label *label,
            const struct goods_taken *taken, const json_t *product)
{
    struct ads_str id = ads_goods_id(&trainer->goods, taken->kind);
    struct ads_str right = ads_goods_id(
        &trainer->goods, label->n > 0 ? label->kinds[0] : UINT32_MAX);
    const struct sample *sample =
        &trainer->samples.list[trainer->samples.n - 1];

    printf("%s\t%.*s\t%d\t%.*s\t%s\t%s\n", sample->named ? "named" : "unnamed",
           (int)id.len, id.ptr, taken->sure, (int)right.len, right.ptr,
           label->id, text_of(product, "title").ptr);
}


static void
product_read(struct trainer *trainer, const struct label *label,
             const json_t *product)
{
    const struct goods_product texts = {
        .title = text_of(product, "title"),
        .brand = text_of(product, "brand"),
        .categories =
            lines_of(trainer->pool, json_object_get(product, "category")),
        .description = text_of(product, "description")};
    struct goods_taken taken = goods_take(trainer->taker, &texts);
    struct sample *sample = sample_add(&trainer->samples, label);
    uint32_t n;
    const struct goods_candidate *list =
        goods_taker_candidates(trainer->taker, &n);

    for (uint32_t i = 0; i < n; i++) {
        candidate_add(&trainer->samples, &list[i],
                      right_of(label, list[i].kind));
    }
    sample->sure = taken.sure;
    sample->taken = taken.kind == ADS_GOODS_NONE      ? NONE
                    : right_of(label, taken.kind) > 0 ? RIGHT
                                                      : WRONG;
    if (trainer->told > 1 && sample->taken != RIGHT
        && (sample->known || sample->taken == WRONG))
    {
        wrong_print(trainer, label, &taken, product);
    }
}


static void
products_read(struct trainer *trainer, struct labels *labels, const char *path)
{
    FILE *file = fopen(path, "re");
    char *line = NULL;
    size_t size = 0;

    if (file == NULL) {
        fail("cannot be read", path);
    }
    if (labels->n > 0) {
        qsort(labels->list, labels->n, sizeof(*labels->list), label_compare);
    }
    while (getline(&line, &size, file) > 0) {
        json_t *product = json_loads(line, 0, NULL);
        struct label *label = label_find(labels, text_of(product, "id").ptr);

        if (label != NULL && !label->met) {
            label->met = true;
            product_read(trainer, label, product);
        }
        json_decref(product);
    }
    free(line);
    (void)fclose(file);
}


/* ---- training ------------------------------------------------------------ */

static double
score_of(const double weights[GOODS_SIGN_END], const struct goods_signs *signs)
{
    double score = 0;

    for (int set = 0; set < GOODS_SIGN_SETS; set++) {
        for (uint64_t bits = signs->bits[set]; bits != 0; bits &= bits - 1) {
            score += weights[64 * set + __builtin_ctzll(bits)];
        }
    }
    return score;
}


/* Adds how one sample pulls at the weights; none of the kinds weighs e^0. */
static void
sample_pull(const struct samples *samples, const struct sample *sample,
            const double weights[GOODS_SIGN_END], double slope[GOODS_SIGN_END])
{
    const struct candidate *list = &samples->candidates[sample->first];
    double share[GOODS_CANDIDATES], all = 1, right = 0;

    for (unsigned i = 0; i < sample->n; i++) {
        share[i] = exp(score_of(weights, &list[i].signs));
        all += share[i];
        right += share[i] * list[i].right;
    }
    for (unsigned i = 0; i < sample->n; i++) {
        double aim = sample->named ? share[i] * list[i].right / right : 0;
        double error = (sample->named ? 1 : UNKNOWN) * (aim - share[i] / all);

        for (int set = 0; set < GOODS_SIGN_SETS; set++) {
            for (uint64_t bits = list[i].signs.bits[set]; bits != 0;
                 bits &= bits - 1) {
                slope[64 * set + __builtin_ctzll(bits)] += error;
            }
        }
    }
}


/* Trains on all samples but those of the fold (FOLDS: on all). */
static void
train(const struct samples *samples, unsigned but,
      double weights[GOODS_SIGN_END])
{
    double sum[GOODS_SIGN_END] = {0};

    memcpy(weights, guess, sizeof(guess));
    for (int step = 0; step < STEPS; step++) {
        double slope[GOODS_SIGN_END] = {0};

        for (size_t i = 0; i < samples->n; i++) {
            if (samples->list[i].fold != but) {
                sample_pull(samples, &samples->list[i], weights, slope);
            }
        }
        for (int k = 0; k < GOODS_SIGN_END; k++) {
            double by =
                slope[k] / (double)samples->n - DECAY * (weights[k] - guess[k]);

            sum[k] += by * by;
            weights[k] += RATE * by / (sqrt(sum[k]) + 1e-6) / 4;
        }
    }
}


/* The chance of the likeliest kind, as goods_take has it, and whether that is
 * right. */
static double
choose(const struct trainer *trainer, const struct sample *sample,
       const double weights[GOODS_SIGN_END], bool *right)
{
    const struct candidate *list = &trainer->samples.candidates[sample->first];
    double share[GOODS_CANDIDATES], all = 1, most = 0, chance = 0;

    *right = false;
    for (unsigned i = 0; i < sample->n; i++) {
        share[i] = exp(score_of(weights, &list[i].signs));
        all += share[i];
    }
    for (unsigned i = 0; i < sample->n; i++) {
        double same = 0, line = 0;

        for (unsigned k = 0; k < sample->n; k++) {
            same += list[k].kind == list[i].kind ? share[k] : 0;
            line +=
                ads_goods_in_line(&trainer->goods, list[k].kind, list[i].kind)
                    ? share[k]
                    : 0;
        }
        if (same + line > most) {
            most = same + line;
            chance = line;
            *right = list[i].right > 0;
        }
    }
    return chance / all;
}


/* What chance comes true how often, on products that were left out, each as
 * often as it stands for others: row k is of chances near k / (SURE - 1). */
struct come_true {
    double n[SURE];
    double right[SURE];
};


static void
left_out(const struct trainer *trainer, struct come_true *rows, bool told)
{
    const struct samples *samples = &trainer->samples;
    unsigned n = 0, right = 0, named = 0, known = 0;

    for (unsigned fold = 0; fold < FOLDS; fold++) {
        double weights[GOODS_SIGN_END];

        train(samples, fold, weights);
        for (size_t i = 0; i < samples->n; i++) {
            const struct sample *sample = &samples->list[i];
            bool is;
            double chance;
            int row;

            if (sample->fold != fold) {
                continue;
            }
            known += sample->known;
            named += sample->named;
            chance = choose(trainer, sample, weights, &is);
            row = (int)lround(chance * (SURE - 1));
            rows->n[row] += sample->stands_for;
            rows->right[row] += is ? sample->stands_for : 0;
            n += chance > LEAST;
            right += chance > LEAST && is;
        }
    }
    if (told) {
        fprintf(stderr,
                "%zu products, %u of some kind, of %u a text names it\n"
                "%u are given a kind, %u rightly: %.1f %% of all, %.1f %% of "
                "these\n",
                samples->n, known, named, n, right,
                100.0 * right / (double)samples->n, 100.0 * right / n);
        for (int row = SURE - 1; row >= 0; row--) {
            fprintf(stderr, "chance %.2f: %4.0f, right %.3f\n",
                    (double)row / (SURE - 1), rows->n[row],
                    rows->n[row] > 0 ? rows->right[row] / rows->n[row] : 0);
        }
    }
}


static void
sure_print(const struct come_true *rows)
{
    double least = 0;

    printf("static const uint8_t goods_kind_sure[GOODS_KIND_SURE] = {\n");
    for (int row = 0; row < SURE; row++) {
        double chance = (double)row / (SURE - 1);
        double is = (rows->right[row] + SURE_ROWS * chance)
                    / (rows->n[row] + SURE_ROWS);

        least = is > least ? is : least;
        printf("    %ld,\n", lround(255 * least));
    }
    printf("};\n");
}


static void
model_print(const double weights[GOODS_SIGN_END], const struct come_true *rows)
{
    printf("/*\n"
           " * Model that says which kind a product is: a weight for each "
           "sign of\n"
           " * goods_signs.h, 256 is one nat, and how often a kind of a chance "
           "was right.\n"
           " * Made by tools/kind_train from data/kinds/; do not edit.\n"
           " */\n"
           "#ifndef ADSD_GOODS_KIND_MODEL_H\n"
           "#define ADSD_GOODS_KIND_MODEL_H\n\n#include "
           "\"tables/goods_signs.h\"\n\n"
           "static const int16_t goods_kind_model[GOODS_SIGN_END] = {\n");
    for (int k = 0; k < GOODS_SIGN_END; k++) {
        printf("    [GOODS_SIGN_%s] = %ld,\n",
               goods_sign_name((enum goods_sign)k),
               lround(weights[k] * GOODS_SIGN_UNIT));
    }
    printf("};\n\n/* of 255, at chances of 0 to 1 */\n"
           "#define GOODS_KIND_SURE %d\n\n",
           SURE);
    sure_print(rows);
    printf("\n#endif\n");
}


static void
check_print(const struct samples *samples)
{
    unsigned kind = 0, right = 0, none = 0;
    double sure = 0;

    for (size_t i = 0; i < samples->n; i++) {
        const struct sample *sample = &samples->list[i];

        kind += sample->taken != NONE;
        right += sample->taken == RIGHT;
        none += sample->taken == NONE && !sample->known;
        sure += sample->taken != NONE ? sample->sure / 255.0 : 0;
    }
    fprintf(stderr,
            "%zu products, %.1f %% with a kind, %.1f %% of these right (said "
            "%.1f %%), %.1f %% of all right, %.1f %% rightly none\n",
            samples->n, 100.0 * kind / (double)samples->n, 100.0 * right / kind,
            100 * sure / kind, 100.0 * right / (double)samples->n,
            100.0 * none / (double)samples->n);
}


int
main(int argc, char **argv)
{
    struct trainer trainer = {.pool = pool_new()};
    double weights[GOODS_SIGN_END];
    const char *folder = "data/goods";
    struct come_true rows = {0};
    struct ads_str image;
    bool told = false;
    int option;

    while ((option = getopt(argc, argv, "cg:t")) != -1) {
        if (option == 'g') {
            folder = optarg;
        } else if (option == 'c') {
            trainer.told++;
        } else if (option == 't') {
            told = true;
        } else {
            return 2;
        }
    }
    if (goods_load(folder, NULL, &image, stderr) != ADS_OK
        || ads_goods_open(image.ptr, image.len, &trainer.goods) != ADS_OK)
    {
        fail("no ontology", folder);
    }
    trainer.taker = goods_taker_new(&trainer.goods);
    for (int i = optind; i + 1 < argc; i += 2) {
        struct labels labels = {0};

        labels_read(&trainer, &labels, argv[i]);
        products_read(&trainer, &labels, argv[i + 1]);
        free(labels.list);
    }
    if (trainer.told > 0) {
        check_print(&trainer.samples);
    } else {
        left_out(&trainer, &rows, told);
        train(&trainer.samples, FOLDS, weights);
        model_print(weights, &rows);
    }
    goods_taker_free(trainer.taker);
    free(trainer.samples.list);
    free(trainer.samples.candidates);
    free((char *)image.ptr);
    pool_free(trainer.pool);
    return 0;
}
