/*
 * adsctl completion: a script for the shell, read out of the very usage that
 * people see, so that it cannot fall behind.
 *
 * A form of the usage is its verb, perhaps its actions (a|b), then options
 * (--name VALUE, in brackets where they may be left out) and arguments in
 * capitals; what two spaces set apart explains it.
 */
#include <stdio.h>
#include <string.h>

#include "ctl/verbs.h"

#define FORM_MAX 512

struct form {
    char text[FORM_MAX]; /* its lines in one */
    const char *verb;
    char *actions; /* "" where there are none */
    char *rest;
};

static const char begin_text[] =
    "_adsctl()\n"
    "{\n"
    "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
    "    local word words= verb= action= skip=\n"
    "\n"
    "    for word in \"${COMP_WORDS[@]:1:$((COMP_CWORD - 1))}\"; do\n"
    "        if [[ $skip ]]; then\n"
    "            skip=\n"
    "            continue\n"
    "        fi\n"
    "        case $word in\n"
    "        -[cd]) skip=1 ;;\n"
    "        -*) ;;\n"
    "        *)\n"
    "            if [[ ! $verb ]]; then\n"
    "                verb=$word\n"
    "            elif [[ ! $action ]]; then\n"
    "                action=$word\n"
    "            fi\n"
    "            ;;\n"
    "        esac\n"
    "    done\n"
    "\n"
    "    case \"$verb $action $prev\" in\n";

static const char end_text[] =
    "    esac\n"
    "    COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
    "}\n"
    "complete -o default -F _adsctl adsctl\n";


/* The next form of a usage text, its continuation lines joined; false at the
 * end. */
static bool
form_next(struct form *form, const char **usage)
{
    size_t len = 0;
    char *gap;

    if (**usage == '\0') {
        return false;
    }
    do {
        size_t line = strcspn(*usage, "\n");
        const char *at = *usage + strspn(*usage, " ");

        len +=
            (size_t)snprintf(form->text + len, FORM_MAX - len, "%s%.*s",
                             len > 0 ? " " : "", (int)(*usage + line - at), at);
        *usage += line + ((*usage)[line] == '\n');
    } while (**usage == ' ' && len < FORM_MAX);

    gap = strstr(form->text, "  ");
    if (gap != NULL) {
        *gap = '\0';
    }
    form->verb = strtok_r(form->text, " ", &form->rest);
    form->actions = "";
    if (form->rest[0] >= 'a' && form->rest[0] <= 'z') {
        form->actions = strtok_r(NULL, " ", &form->rest);
    }
    return true;
}


/* The next word of what stands behind the actions, without brackets. */
static char *
word_next(struct form *form)
{
    char *word = strtok_r(NULL, " ", &form->rest);

    if (word != NULL) {
        word += *word == '[';
        word[strcspn(word, "]")] = '\0';
    }
    return word;
}


static bool
is_choice(const char *word)
{
    return *word >= 'a' && *word <= 'z' && strchr(word, '|') != NULL;
}


/* What may stand behind an option, where it is one of a few words. */
static void
values_print(struct form *form)
{
    char *word = word_next(form);

    while (word != NULL) {
        char *value = word_next(form);

        if (value != NULL && strncmp(word, "--", 2) == 0 && is_choice(value)) {
            for (char *at = value; (at = strchr(at, '|')) != NULL;) {
                *at = ' ';
            }
            printf("    '%s %s %s') words='%s' ;;\n", form->verb, form->actions,
                   word, value);
        }
        word = value;
    }
}


static void
options_print(struct form *form)
{
    const char *word, *space = "";

    while ((word = word_next(form)) != NULL) {
        if (strncmp(word, "--", 2) == 0) {
            printf("%s%s", space, word);
            space = " ";
        }
    }
}


/* One case for each action of a form, with what the forms `after` it say of the
 * same actions: the first case is the one that counts. */
static void
form_print(struct form *form, const char *after)
{
    char actions[FORM_MAX];
    struct form more;

    (void)snprintf(actions, sizeof(actions), "%s", form->actions);
    if (form->actions[0] == '\0') {
        printf("    '%s '*) words='", form->verb);

    } else {
        const char *bar = "";
        char *rest, *action = strtok_r(form->actions, "|", &rest);

        printf("    ");
        for (; action != NULL; action = strtok_r(NULL, "|", &rest)) {
            printf("%s'%s %s '*", bar, form->verb, action);
            bar = " | ";
        }
        printf(") words='");
    }
    options_print(form);
    while (form_next(&more, &after)) {
        if (strcmp(more.actions, actions) == 0) {
            putchar(' ');
            options_print(&more);
        }
    }
    puts("' ;;");
}


/* The actions of all forms of a verb, or nothing. */
static void
actions_print(const char *name, const char *usage)
{
    const char *space = "";
    char before[FORM_MAX] = "";
    struct form form;

    printf("    '%s  '*) words='", name);
    while (form_next(&form, &usage)) {
        for (char *at = form.actions; (at = strchr(at, '|')) != NULL;) {
            *at = ' ';
        }
        if (form.actions[0] != '\0' && strcmp(form.actions, before) != 0) {
            printf("%s%s", space, form.actions);
            space = " ";
        }
        (void)snprintf(before, sizeof(before), "%s", form.actions);
    }
    puts("' ;;");
}


/* All verbs, a space before each. */
static void
verbs_print(const struct ctl *ctl)
{
    for (size_t i = 0; i < ctl->n_verbs; i++) {
        printf(" %s", ctl->verbs[i].name);
    }
}


static void
bash_print(const struct ctl *ctl)
{
    const struct ctl_verb *end = ctl->verbs + ctl->n_verbs;
    struct form form;

    fputs(begin_text, stdout);
    for (const struct ctl_verb *verb = ctl->verbs; verb < end; verb++) {
        const char *usage = verb->usage;

        while (form_next(&form, &usage)) {
            values_print(&form);
        }
    }
    puts("    *' -c') COMPREPLY=($(compgen -f -- \"$cur\")); return ;;");
    fputs("    '  '*) words='-c -d --json --help help", stdout);
    verbs_print(ctl);
    fputs("' ;;\n    'help  '*) words='", stdout);
    verbs_print(ctl);
    puts("' ;;");
    for (const struct ctl_verb *verb = ctl->verbs; verb < end; verb++) {
        const char *at = verb->usage;
        bool actions = form_next(&form, &at) && form.actions[0] != '\0';

        if (actions) {
            actions_print(verb->name, verb->usage);
        }
        for (at = verb->usage; form_next(&form, &at);) {
            form_print(&form, at);
        }
    }
    fputs(end_text, stdout);
}


int
ctl_completion(struct ctl *ctl, int argc, char **argv)
{
    (void)ctl;
    if (argc != 1) {
        return CTL_USAGE;
    }
    if (strcmp(argv[0], "bash") == 0) {
        puts("# bash: eval \"$(adsctl completion bash)\"");

    } else if (strcmp(argv[0], "zsh") == 0) {
        puts("# zsh: eval \"$(adsctl completion zsh)\"\n"
             "autoload -U +X compinit && compinit\n"
             "autoload -U +X bashcompinit && bashcompinit");

    } else {
        return CTL_USAGE;
    }
    bash_print(ctl);
    return CTL_OK;
}
