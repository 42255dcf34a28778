/*
 * Signs of a product's kind: facts of a kind that some text of the product
 * names, each true or not.  Which of the kinds it is, a small linear model
 * decides by them (adsd/tables/goods_kind_model.h, made by tools/kind_train).
 * Included by goods_*.c and that trainer alone.
 */
#ifndef ADSD_GOODS_SIGNS_H
#define ADSD_GOODS_SIGNS_H

#include <stdbool.h>
#include <stdint.h>

#define GOODS_SIGNS(X)                                                     \
    /* of every kind that is named */                                      \
    X(ANY)                                                                 \
    X(BROAD)     /* of many narrower ones */                               \
    X(FIELD)     /* tells a field, "Toys", rather than a thing */          \
    X(ACCESSORY) /* of some other kind, as are the next */                 \
    X(PART)                                                                \
    X(CONSUMABLE)                                                          \
    X(SERVICE)                                                             \
    X(FREE) /* it belongs to nothing */                                    \
                                                                           \
    /* the title mentions it: the name */                                  \
    X(TITLE)                                                               \
    X(TWO_WORDS)                                                           \
    X(MORE_WORDS)                                                          \
    X(BRIEF) /* of few letters */                                          \
    X(LENGTHY)                                                             \
    X(DOUBTFUL) /* means other things, too, and nothing else settles it */ \
    X(SETTLED)  /* something did */                                        \
    X(SHARED)   /* other kinds have the same name */                       \
    X(FOREIGN)  /* of another language than the title's */                 \
    X(MERCHANT) /* as only shops call it */                                \
    X(COMPOSED)                                                            \
    X(PIECE_NAME) /* its last word is one for pieces of things */          \
    X(HALF)       /* at least half of it */                                \
    X(MAKER)      /* its name is one of the maker's */                     \
                                                                           \
    /* where it stands */                                                  \
    X(FIRST) /* in the first phrase of more than a brand */                \
    X(SECOND)                                                              \
    X(LATER)                                                               \
    X(HEAD)       /* the last of its phrase before "for", "with" */        \
    X(FIRST_HEAD) /* of the first phrase */                                \
    X(ENDS)       /* nothing but a set's words behind it in its phrase */  \
    X(FIRST_ENDS)                                                          \
    X(DOUBTFUL_HEAD) /* doubtful, ends the first phrase, nothing before */ \
    X(FOR)           /* behind "for" */                                    \
    X(WITH)                                                                \
    X(WITHOUT)                                                             \
    X(AND)                                                                 \
    X(PLACE)                                                               \
    X(FOR_BEHIND) /* "for" stands right behind it */                       \
    X(WITH_BEHIND)                                                         \
    X(OF_BEHIND)                                                           \
    X(OF_BEFORE)                                                           \
    X(EARLY) /* begins in the first third of the title */                  \
    X(FIRST_MENTION)                                                       \
    X(LAST_MENTION)                                                        \
    X(MANY_BEHIND) /* other things */                                      \
    X(MANY_BEFORE)                                                         \
    X(ONLY_MENTION)                                                        \
    X(TWICE) /* it, or one in its line, again */                           \
                                                                           \
    /* the words around it */                                              \
    X(INNER)    /* another kind right behind */                            \
    X(INNER_OF) /* one that belongs to it */                               \
    X(OUTER)    /* one right before it */                                  \
    X(PIECE)    /* a piece of it is what is named: "reader case" */        \
    X(PIECE_BEHIND)                                                        \
    X(PIECE_BEFORE)                                                        \
    X(TRAILED) /* a word that is no name */                                \
    X(TRAILED_NUMBER)                                                      \
    X(TRAILED_MODEL)                                                       \
    X(TRAILED_SAID) /* an attribute */                                     \
    X(TITLE_END)                                                           \
    X(AFTER_NUMBER) /* a number, or one with its unit, right before */     \
    X(AFTER_MODEL)  /* letters and digits, or many digits */               \
    X(AFTER_SAID)                                                          \
    X(AFTER_WORD)                                                          \
    X(BEGINS) /* its phrase */                                             \
    X(BRACKETS)                                                            \
    X(SLASHED) /* a slash or "+" right before or behind it */              \
    X(PLUS_BEFORE)                                                         \
    X(PLUS_BEHIND)                                                         \
                                                                           \
    /* the other kinds of the title */                                     \
    X(BELONGS)                                                             \
    X(OWNS_BEFORE) /* one that belongs to it stands before */              \
    X(OWNS_BEHIND)                                                         \
    X(ATTACHED)    /* it belongs to some things, and there are others */   \
    X(EXTRA)       /* doubtful, behind what it belongs to */               \
    X(SPEC)        /* a part of another that is not behind "for" */        \
    X(SPEC_NUMBER) /* and behind a number: "server, 16 GB RAM" */          \
    X(SPECS)       /* such parts of it are named */                        \
    X(SPECS_MANY)  /* two or more */                                       \
    X(NARROWER)                                                            \
    X(BROADER)                                                             \
                                                                           \
    /* the category: the narrowest, and the one above it */                \
    X(CATEGORY)      /* is there */                                        \
    X(CATEGORY_SAME) /* says the kind */                                   \
    X(CATEGORY_WIDER)                                                      \
    X(CATEGORY_NARROWER)                                                   \
    X(CATEGORY_OTHER) /* says some, and none in its line */                \
    X(CATEGORY_OF)    /* says what it belongs to */                        \
    X(CATEGORY_FIELD) /* the field of what it belongs to */                \
    X(CATEGORY_PIECE) /* "galaxy accessories": pieces of it */             \
    X(CATEGORY_WORD)  /* has the last word of its name */                  \
    X(CATEGORY_KIN)   /* says one that is of a broader kind with it */     \
    X(ABOVE_SAME)                                                          \
    X(ABOVE_WIDER)                                                         \
    X(ABOVE_OTHER)                                                         \
    X(CATEGORY_ALONE) /* the title does not mention it */                  \
    X(CATEGORY_ALONE_WORDS)                                                \
    X(CATEGORY_ALONE_DOUBTFUL)                                             \
    X(ABOVE_ALONE)                                                         \
    X(CATEGORY_AGAINST) /* agrees, and in the title it has FOR or PIECE */ \
    X(CATEGORY_SETTLES) /* what the doubtful name means */                 \
                                                                           \
    /* the description */                                                  \
    X(TOLD)       /* is there */                                           \
    X(TOLD_FIRST) /* names it first */                                     \
    X(TOLD_SAME)                                                           \
    X(TOLD_NARROWER)                                                       \
    X(TOLD_WIDER)                                                          \
    X(TOLD_OTHER) /* names others first, none in its line */               \
    X(TOLD_FOR)   /* says that the product is for it, or a piece of it */  \
    X(TOLD_THIS)  /* "this printer" */                                     \
    X(TOLD_OFTEN)                                                          \
    X(TOLD_TYPE) /* "type: " says it, or one in its line */                \
    X(TOLD_ALONE)                                                          \
    X(TOLD_ALONE_FIRST)                                                    \
    X(TOLD_ALONE_WORDS)                                                    \
    X(TYPE_ALONE)                                                          \
                                                                           \
    /* words that hint at it */                                            \
    X(HINT_SOME)                                                           \
    X(HINT_MUCH)                                                           \
    X(HINT_TOP)                                                            \
    X(HINT_ALONE)

enum goods_sign {
#define SIGN(name) GOODS_SIGN_##name,
    GOODS_SIGNS(SIGN)
#undef SIGN
        GOODS_SIGN_END
};

#define GOODS_SIGN_SETS ((GOODS_SIGN_END + 63) / 64)
#define GOODS_SIGN_UNIT 256 /* of a weight: one nat */
#define GOODS_REASONS 4     /* that are shown */

struct goods_signs {
    uint64_t bits[GOODS_SIGN_SETS];
};

static inline void
goods_sign_set(struct goods_signs *signs, enum goods_sign sign, bool is)
{
    signs->bits[sign / 64] |= (uint64_t)is << sign % 64;
}


static inline bool
goods_sign_is(const struct goods_signs *signs, enum goods_sign sign)
{
    return (signs->bits[sign / 64] >> sign % 64 & 1) != 0;
}


/* As adsctl shows it. */
const char *
goods_sign_name(enum goods_sign sign);

#endif
