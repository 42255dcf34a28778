/*
 * Table of look-alike letters by code point, and the emoji alphabets whose
 * letters are consecutive (long table).
 */
#include "ads_confusable.h"

#include <stddef.h>

struct pair {
    uint16_t code;
    char looks_like;
};

/* An alphabet, from A to Z. */
static const int32_t alphabets[] = {
    0x1f150, /* negative circled */
    0x1f170, /* negative squared */
    0x1f1e6, /* regional indicators */
};

/* clang-format off */
static const struct pair pairs[] = {
    {0x00a1, 'i'}, /* inverted exclamation mark */
    {0x00a2, 'c'}, /* cent sign */
    {0x00d8, 'o'}, /* latin capital letter o with stroke */
    {0x00f8, 'o'}, /* latin small letter o with stroke */
    {0x0110, 'd'}, /* latin capital letter d with stroke */
    {0x0111, 'd'}, /* latin small letter d with stroke */
    {0x0126, 'h'}, /* latin capital letter h with stroke */
    {0x0127, 'h'}, /* latin small letter h with stroke */
    {0x0131, 'i'}, /* latin small letter dotless i */
    {0x0141, 'l'}, /* latin capital letter l with stroke */
    {0x0142, 'l'}, /* latin small letter l with stroke */
    {0x014b, 'n'}, /* latin small letter eng */
    {0x0166, 't'}, /* latin capital letter t with stroke */
    {0x0167, 't'}, /* latin small letter t with stroke */
    {0x0180, 'b'}, /* latin small letter b with stroke */
    {0x0184, 'b'}, /* latin capital letter tone six */
    {0x0185, 'b'}, /* latin small letter tone six */
    {0x0188, 'c'}, /* latin small letter c with hook */
    {0x0191, 'f'}, /* latin capital letter f with hook */
    {0x0192, 'f'}, /* latin small letter f with hook */
    {0x0193, 'g'}, /* latin capital letter g with hook */
    {0x0197, 'i'}, /* latin capital letter i with stroke */
    {0x0198, 'k'}, /* latin capital letter k with hook */
    {0x0199, 'k'}, /* latin small letter k with hook */
    {0x019a, 'l'}, /* latin small letter l with bar */
    {0x019e, 'n'}, /* latin small letter n with long right leg */
    {0x01a4, 'p'}, /* latin capital letter p with hook */
    {0x01a5, 'p'}, /* latin small letter p with hook */
    {0x01ac, 't'}, /* latin capital letter t with hook */
    {0x01ad, 't'}, /* latin small letter t with hook */
    {0x01b3, 'y'}, /* latin capital letter y with hook */
    {0x01b4, 'y'}, /* latin small letter y with hook */
    {0x01b6, 'z'}, /* latin small letter z with stroke */
    {0x01bd, 's'}, /* latin small letter tone five */
    {0x01dd, 'e'}, /* latin small letter turned e */
    {0x01e5, 'g'}, /* latin small letter g with stroke */
    {0x0225, 'z'}, /* latin small letter z with hook */
    {0x0237, 'j'}, /* latin small letter dotless j */
    {0x023a, 'a'}, /* latin capital letter a with stroke */
    {0x023b, 'c'}, /* latin capital letter c with stroke */
    {0x023c, 'c'}, /* latin small letter c with stroke */
    {0x0246, 'e'}, /* latin capital letter e with stroke */
    {0x0247, 'e'}, /* latin small letter e with stroke */
    {0x0249, 'j'}, /* latin small letter j with stroke */
    {0x024b, 'q'}, /* latin small letter q with hook tail */
    {0x024c, 'r'}, /* latin capital letter r with stroke */
    {0x024d, 'r'}, /* latin small letter r with stroke */
    {0x024e, 'y'}, /* latin capital letter y with stroke */
    {0x024f, 'y'}, /* latin small letter y with stroke */
    {0x0250, 'a'}, /* latin small letter turned a */
    {0x0251, 'a'}, /* latin small letter alpha */
    {0x0253, 'b'}, /* latin small letter b with hook */
    {0x0256, 'd'}, /* latin small letter d with tail */
    {0x0257, 'd'}, /* latin small letter d with hook */
    {0x0259, 'e'}, /* latin small letter schwa */
    {0x025b, 'e'}, /* latin small letter open e */
    {0x0260, 'g'}, /* latin small letter g with hook */
    {0x0261, 'g'}, /* latin small letter script g */
    {0x0262, 'g'}, /* latin letter small capital g */
    {0x0266, 'h'}, /* latin small letter h with hook */
    {0x0268, 'i'}, /* latin small letter i with stroke */
    {0x0269, 'i'}, /* latin small letter iota */
    {0x026a, 'i'}, /* latin letter small capital i */
    {0x026b, 'l'}, /* latin small letter l with middle tilde */
    {0x026d, 'l'}, /* latin small letter l with retroflex hook */
    {0x0271, 'm'}, /* latin small letter m with hook */
    {0x0272, 'n'}, /* latin small letter n with left hook */
    {0x0274, 'n'}, /* latin letter small capital n */
    {0x0275, 'o'}, /* latin small letter barred o */
    {0x027e, 'r'}, /* latin small letter r with fishhook */
    {0x0280, 'r'}, /* latin letter small capital r */
    {0x0282, 's'}, /* latin small letter s with hook */
    {0x0288, 't'}, /* latin small letter t with retroflex hook */
    {0x0289, 'u'}, /* latin small letter u bar */
    {0x028a, 'u'}, /* latin small letter upsilon */
    {0x028b, 'v'}, /* latin small letter v with hook */
    {0x028f, 'y'}, /* latin letter small capital y */
    {0x0290, 'z'}, /* latin small letter z with retroflex hook */
    {0x0299, 'b'}, /* latin letter small capital b */
    {0x029c, 'h'}, /* latin letter small capital h */
    {0x029f, 'l'}, /* latin letter small capital l */
    {0x02a0, 'q'}, /* latin small letter q with hook */
    {0x0391, 'a'}, /* greek capital letter alpha */
    {0x0392, 'b'}, /* greek capital letter beta */
    {0x0395, 'e'}, /* greek capital letter epsilon */
    {0x0396, 'z'}, /* greek capital letter zeta */
    {0x0397, 'h'}, /* greek capital letter eta */
    {0x0399, 'i'}, /* greek capital letter iota */
    {0x039a, 'k'}, /* greek capital letter kappa */
    {0x039b, 'a'}, /* greek capital letter lamda */
    {0x039c, 'm'}, /* greek capital letter mu */
    {0x039d, 'n'}, /* greek capital letter nu */
    {0x039f, 'o'}, /* greek capital letter omicron */
    {0x03a1, 'p'}, /* greek capital letter rho */
    {0x03a3, 'e'}, /* greek capital letter sigma */
    {0x03a4, 't'}, /* greek capital letter tau */
    {0x03a5, 'y'}, /* greek capital letter upsilon */
    {0x03a7, 'x'}, /* greek capital letter chi */
    {0x03b1, 'a'}, /* greek small letter alpha */
    {0x03b2, 'b'}, /* greek small letter beta */
    {0x03b3, 'y'}, /* greek small letter gamma */
    {0x03b5, 'e'}, /* greek small letter epsilon */
    {0x03b7, 'n'}, /* greek small letter eta */
    {0x03b9, 'i'}, /* greek small letter iota */
    {0x03ba, 'k'}, /* greek small letter kappa */
    {0x03bc, 'u'}, /* greek small letter mu */
    {0x03bd, 'v'}, /* greek small letter nu */
    {0x03bf, 'o'}, /* greek small letter omicron */
    {0x03c1, 'p'}, /* greek small letter rho */
    {0x03c2, 's'}, /* greek small letter final sigma */
    {0x03c3, 'o'}, /* greek small letter sigma */
    {0x03c4, 't'}, /* greek small letter tau */
    {0x03c5, 'u'}, /* greek small letter upsilon */
    {0x03c7, 'x'}, /* greek small letter chi */
    {0x03c9, 'w'}, /* greek small letter omega */
    {0x03dc, 'f'}, /* greek letter digamma */
    {0x03dd, 'f'}, /* greek small letter digamma */
    {0x03f1, 'p'}, /* greek rho symbol */
    {0x03f2, 'c'}, /* greek lunate sigma symbol */
    {0x03f9, 'c'}, /* greek capital lunate sigma symbol */
    {0x0405, 's'}, /* cyrillic capital letter dze */
    {0x0406, 'i'}, /* cyrillic capital letter byelorussian-ukrainian i */
    {0x0407, 'i'}, /* cyrillic capital letter yi */
    {0x0408, 'j'}, /* cyrillic capital letter je */
    {0x0410, 'a'}, /* cyrillic capital letter a */
    {0x0412, 'b'}, /* cyrillic capital letter ve */
    {0x0415, 'e'}, /* cyrillic capital letter ie */
    {0x0417, 'e'}, /* cyrillic capital letter ze */
    {0x0418, 'n'}, /* cyrillic capital letter i */
    {0x041a, 'k'}, /* cyrillic capital letter ka */
    {0x041c, 'm'}, /* cyrillic capital letter em */
    {0x041d, 'h'}, /* cyrillic capital letter en */
    {0x041e, 'o'}, /* cyrillic capital letter o */
    {0x0420, 'p'}, /* cyrillic capital letter er */
    {0x0421, 'c'}, /* cyrillic capital letter es */
    {0x0422, 't'}, /* cyrillic capital letter te */
    {0x0423, 'y'}, /* cyrillic capital letter u */
    {0x0425, 'x'}, /* cyrillic capital letter ha */
    {0x0428, 'w'}, /* cyrillic capital letter sha */
    {0x042c, 'b'}, /* cyrillic capital letter soft sign */
    {0x042f, 'r'}, /* cyrillic capital letter ya */
    {0x0430, 'a'}, /* cyrillic small letter a */
    {0x0432, 'b'}, /* cyrillic small letter ve */
    {0x0433, 'r'}, /* cyrillic small letter ghe */
    {0x0435, 'e'}, /* cyrillic small letter ie */
    {0x0438, 'u'}, /* cyrillic small letter i */
    {0x043a, 'k'}, /* cyrillic small letter ka */
    {0x043c, 'm'}, /* cyrillic small letter em */
    {0x043d, 'h'}, /* cyrillic small letter en */
    {0x043e, 'o'}, /* cyrillic small letter o */
    {0x043f, 'n'}, /* cyrillic small letter pe */
    {0x0440, 'p'}, /* cyrillic small letter er */
    {0x0441, 'c'}, /* cyrillic small letter es */
    {0x0442, 't'}, /* cyrillic small letter te */
    {0x0443, 'y'}, /* cyrillic small letter u */
    {0x0445, 'x'}, /* cyrillic small letter ha */
    {0x0448, 'w'}, /* cyrillic small letter sha */
    {0x044a, 'b'}, /* cyrillic small letter hard sign */
    {0x044c, 'b'}, /* cyrillic small letter soft sign */
    {0x044d, 'e'}, /* cyrillic small letter e */
    {0x044f, 'r'}, /* cyrillic small letter ya */
    {0x0450, 'e'}, /* cyrillic small letter ie with grave */
    {0x0451, 'e'}, /* cyrillic small letter io */
    {0x0455, 's'}, /* cyrillic small letter dze */
    {0x0456, 'i'}, /* cyrillic small letter byelorussian-ukrainian i */
    {0x0457, 'i'}, /* cyrillic small letter yi */
    {0x0458, 'j'}, /* cyrillic small letter je */
    {0x0461, 'w'}, /* cyrillic small letter omega */
    {0x0474, 'v'}, /* cyrillic capital letter izhitsa */
    {0x0475, 'v'}, /* cyrillic small letter izhitsa */
    {0x04ae, 'y'}, /* cyrillic capital letter straight u */
    {0x04af, 'y'}, /* cyrillic small letter straight u */
    {0x04ba, 'h'}, /* cyrillic capital letter shha */
    {0x04bb, 'h'}, /* cyrillic small letter shha */
    {0x04c0, 'l'}, /* cyrillic letter palochka */
    {0x04cf, 'l'}, /* cyrillic small letter palochka */
    {0x0500, 'd'}, /* cyrillic capital letter komi de */
    {0x0501, 'd'}, /* cyrillic small letter komi de */
    {0x050d, 'g'}, /* cyrillic small letter komi sje */
    {0x051a, 'q'}, /* cyrillic capital letter qa */
    {0x051b, 'q'}, /* cyrillic small letter qa */
    {0x051c, 'w'}, /* cyrillic capital letter we */
    {0x051d, 'w'}, /* cyrillic small letter we */
    {0x053c, 'l'}, /* armenian capital letter liwn */
    {0x0548, 'n'}, /* armenian capital letter vo */
    {0x054d, 'u'}, /* armenian capital letter seh */
    {0x054f, 's'}, /* armenian capital letter tiwn */
    {0x0555, 'o'}, /* armenian capital letter oh */
    {0x0561, 'w'}, /* armenian small letter ayb */
    {0x0566, 'q'}, /* armenian small letter za */
    {0x0570, 'h'}, /* armenian small letter ho */
    {0x0578, 'n'}, /* armenian small letter vo */
    {0x057d, 'u'}, /* armenian small letter seh */
    {0x057f, 's'}, /* armenian small letter tiwn */
    {0x0581, 'g'}, /* armenian small letter co */
    {0x0585, 'o'}, /* armenian small letter oh */
    {0x13a0, 'd'}, /* cherokee letter a */
    {0x13a2, 't'}, /* cherokee letter i */
    {0x13a5, 'i'}, /* cherokee letter v */
    {0x13a9, 'y'}, /* cherokee letter gi */
    {0x13aa, 'a'}, /* cherokee letter go */
    {0x13ab, 'j'}, /* cherokee letter gu */
    {0x13ac, 'e'}, /* cherokee letter gv */
    {0x13b3, 'w'}, /* cherokee letter la */
    {0x13b7, 'm'}, /* cherokee letter lu */
    {0x13bb, 'h'}, /* cherokee letter mi */
    {0x13be, 'o'}, /* cherokee letter na */
    {0x13c0, 'g'}, /* cherokee letter nah */
    {0x13c1, 'n'}, /* cherokee letter ne */
    {0x13c3, 'z'}, /* cherokee letter no */
    {0x13d2, 'r'}, /* cherokee letter sv */
    {0x13d9, 'v'}, /* cherokee letter do */
    {0x13da, 's'}, /* cherokee letter du */
    {0x13de, 'l'}, /* cherokee letter tle */
    {0x13df, 'c'}, /* cherokee letter tli */
    {0x13e2, 'p'}, /* cherokee letter tlv */
    {0x13e6, 'k'}, /* cherokee letter tso */
    {0x13f4, 'b'}, /* cherokee letter yv */
    {0x1d00, 'a'}, /* latin letter small capital a */
    {0x1d04, 'c'}, /* latin letter small capital c */
    {0x1d05, 'd'}, /* latin letter small capital d */
    {0x1d07, 'e'}, /* latin letter small capital e */
    {0x1d0a, 'j'}, /* latin letter small capital j */
    {0x1d0b, 'k'}, /* latin letter small capital k */
    {0x1d0d, 'm'}, /* latin letter small capital m */
    {0x1d0f, 'o'}, /* latin letter small capital o */
    {0x1d18, 'p'}, /* latin letter small capital p */
    {0x1d1b, 't'}, /* latin letter small capital t */
    {0x1d1c, 'u'}, /* latin letter small capital u */
    {0x1d20, 'v'}, /* latin letter small capital v */
    {0x1d21, 'w'}, /* latin letter small capital w */
    {0x1d22, 'z'}, /* latin letter small capital z */
    {0x20ac, 'e'}, /* euro sign */
    {0x2c65, 'a'}, /* latin small letter a with stroke */
    {0x2c66, 't'}, /* latin small letter t with diagonal stroke */
    {0xa730, 'f'}, /* latin letter small capital f */
    {0xa731, 's'}, /* latin letter small capital s */
};
/* clang-format on */


char
ads_confusable(int32_t code)
{
    size_t low = 0, high = sizeof(pairs) / sizeof(pairs[0]);

    for (size_t i = 0; i < sizeof(alphabets) / sizeof(alphabets[0]); i++) {
        if (code >= alphabets[i] && code < alphabets[i] + 26) {
            return (char)('a' + (code - alphabets[i]));
        }
    }
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (pairs[middle].code == code) {
            return pairs[middle].looks_like;
        }
        if (pairs[middle].code < code) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return 0;
}
