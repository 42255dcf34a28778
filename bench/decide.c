/*
 * Times the decision alone, as a worker makes it, on published ad tables:
 * what a recommendation costs beside reading, sealing, answering and
 * journalling.
 *
 *     decide STATE_PATH QUERIES ROUNDS
 *
 * QUERIES is a file with a query a line.  Prints "decision wish shown": the
 * processor microseconds of a whole decision and of guard and intent alone,
 * means over all queries and the best of the rounds, and the share of queries
 * that are answered with ads.  Budgets are left out, as for a test key.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "ads_decide.h"
#include "base/pool.h"

#define LINE_MAX_LEN 8192

struct bench {
    struct pool *pool;
    struct ads_tables tables;
    struct ads_text text;
    void *scratch;
    struct ads_str *queries;
    size_t n_queries;
};


static _Noreturn void
fail(const char *what)
{
    (void)fprintf(stderr, "decide: %s\n", what);
    exit(1);
}


static const void *
file_map(const char *path, size_t *len)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat info;
    void *bytes;

    if (fd < 0 || fstat(fd, &info) != 0) {
        fail(path);
    }
    *len = (size_t)info.st_size;
    bytes = mmap(NULL, *len, PROT_READ, MAP_SHARED, fd, 0);
    if (bytes == MAP_FAILED) {
        fail(path);
    }
    close(fd);
    return bytes;
}


static void
tables_map(struct bench *bench, const char *state)
{
    char path[512];
    const void *head_bytes, *base_bytes;
    size_t head_len, base_len;
    struct ads_head head;

    (void)snprintf(path, sizeof(path), "%s/head", state);
    head_bytes = file_map(path, &head_len);
    if (ads_head_open(&head, head_bytes, head_len) != ADS_OK) {
        fail("the head is refused");
    }
    (void)snprintf(path, sizeof(path), "%s/base-%016" PRIx64, state,
                   head.base_id);
    base_bytes = file_map(path, &base_len);
    if (ads_tables_open(&bench->tables, base_bytes, base_len, &head) != ADS_OK)
    {
        fail("the base is refused");
    }
    bench->scratch = xmalloc(ads_decide_scratch_len(&bench->tables));
}


static void
queries_read(struct bench *bench, const char *path)
{
    char line[LINE_MAX_LEN];
    size_t room = 0;
    FILE *in = fopen(path, "r");

    if (in == NULL) {
        fail(path);
    }
    while (fgets(line, sizeof(line), in) != NULL) {
        struct ads_str query = {line, strcspn(line, "\n")};

        if (bench->n_queries == room) {
            room = room == 0 ? 1024 : 2 * room;
            bench->queries =
                realloc(bench->queries, room * sizeof(*bench->queries));
            if (bench->queries == NULL) {
                fail("out of memory");
            }
        }
        bench->queries[bench->n_queries++] =
            (struct ads_str){pool_text(bench->pool, query), query.len};
    }
    (void)fclose(in);
    if (bench->n_queries == 0) {
        fail("no queries");
    }
}


static double
cpu_us(void)
{
    struct timespec at;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &at);
    return (double)at.tv_sec * 1e6 + (double)at.tv_nsec / 1e3;
}


/* Mean of one decision over all queries; *shown counts those with ads. */
static double
decide_all(struct bench *bench, size_t *shown)
{
    struct ads_decision decision;
    struct ads_ask ask = {.currency = {'U', 'S', 'D'},
                          .placement = ads_placement_known(1),
                          .max = 3,
                          .test = true,
                          .now_ms = (uint64_t)time(NULL) * 1000};
    double from = cpu_us();

    *shown = 0;
    for (size_t i = 0; i < bench->n_queries; i++) {
        ask.query = bench->queries[i];
        ask.hash = i * UINT64_C(0x9e3779b97f4a7c15);
        ads_decide(&decision, &bench->tables, NULL, &ask, &bench->text,
                   bench->scratch);
        *shown += decision.reason == ADS_REASON_NONE;
    }
    return (cpu_us() - from) / (double)bench->n_queries;
}


static double
wish_all(struct bench *bench)
{
    double from = cpu_us();
    int64_t sum = 0;

    for (size_t i = 0; i < bench->n_queries; i++) {
        sum += ads_guard_check(&bench->tables.guard, bench->queries[i]);
        sum += ads_intent_score(&bench->tables.intent, bench->queries[i], NULL)
                   .of[ADS_INTENT_COMMERCIAL];
    }
    return sum == INT64_MAX ? 0 : (cpu_us() - from) / (double)bench->n_queries;
}


int
main(int argc, char **argv)
{
    struct bench bench = {.pool = pool_new()};
    double decision = 0, wish = 0;
    size_t shown = 0;

    if (argc != 4) {
        fail("STATE_PATH QUERIES ROUNDS");
    }
    bench.text.stemmer = sb_stemmer_new("english", NULL);
    tables_map(&bench, argv[1]);
    queries_read(&bench, argv[2]);

    for (int i = 0; i < atoi(argv[3]); i++) {
        double one = decide_all(&bench, &shown), other = wish_all(&bench);

        decision = i == 0 || one < decision ? one : decision;
        wish = i == 0 || other < wish ? other : wish;
    }
    printf("%.2f %.2f %.3f\n", decision, wish,
           (double)shown / (double)bench.n_queries);

    sb_stemmer_delete(bench.text.stemmer);
    free(bench.queries);
    free(bench.scratch);
    pool_free(bench.pool);
    return 0;
}
