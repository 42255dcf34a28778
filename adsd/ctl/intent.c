/*
 * adsctl intent: the commercial intent of lines of text, by the code that
 * serves; no database is asked.
 */
#include <stdio.h>
#include <stdlib.h>

#include "ctl/shipped.h"
#include "ctl/verbs.h"


static void
intent_print(const struct ctl_shipped *shipped, struct ads_str line)
{
    static struct ads_understood understood;
    const struct ads_intent *intent = &shipped->intent;
    enum ads_guard_topic topic = ads_guard_check(&shipped->guard, line);
    const char *name = topic == ADS_GUARD_NONE ? NULL : ads_guard_name(topic);
    struct ads_intent_scores scores;
    int32_t score;

    ads_understand(&understood, &shipped->goods, NULL, line, ADS_STR(""));
    scores = ads_intent_score(intent, line, &understood);
    if (name == NULL
        && ads_intent_is(intent, ADS_INTENT_SENSITIVE,
                         scores.of[ADS_INTENT_SENSITIVE]))
    {
        name = ADS_GUARD_STORY;
    }
    if (name != NULL) {
        /* below every line that is no wish, so that a ranking puts it last */
        printf("-99.0000\tNO_AD\t%s\n", name);
        return;
    }
    score = scores.of[ADS_INTENT_COMMERCIAL];
    printf("%.4f\t%s\n", (double)score / ADS_INTENT_UNIT,
           ads_intent_is(intent, ADS_INTENT_COMMERCIAL, score) ? "SHOW"
                                                               : "NO_AD");
}


int
ctl_intent(struct ctl *ctl, int argc, char **argv)
{
    struct ctl_shipped shipped;
    char *line = NULL;
    size_t size = 0;
    ssize_t len;
    int n, rc = ctl_options(argc, argv, NULL, 0, 0, 0, &n);

    if (rc != CTL_OK) {
        return rc;
    }
    rc = ctl_shipped_open(&shipped, ctl);
    while (rc == CTL_OK && (len = getline(&line, &size, stdin)) > 0) {
        struct ads_str text = {line, (size_t)len};

        intent_print(&shipped, ads_str_trim(text, "\r\n"));
    }
    free(line);
    ctl_shipped_close(&shipped);
    return rc;
}
