/*
 * Prints one finding of adsctl doctor: a line, and what to do below it.
 */
#include "ctl/doctor.h"

#include <stdarg.h>
#include <stdio.h>

#define TEXT_MAX 512


void
ctl_doctor_tell(struct ctl_doctor *doctor, enum ctl_doctor_state state,
                const char *advice, const char *format, ...)
{
    static const char *const states[] = {"ok", "warn", "bad"};
    struct ctl *ctl = doctor->ctl;
    char text[TEXT_MAX];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    doctor->n_bad += state == CTL_DOCTOR_BAD;

    if (ctl->json) {
        ctl_json_begin(ctl);
        ctl_json_text(ctl, "check", ctl_text(doctor->check));
        ctl_json_text(ctl, "state", ctl_text(states[state]));
        ctl_json_text(ctl, "found", ctl_text(text));
        ctl_json_text(ctl, "advice", ctl_text(advice));
        ctl_json_end(ctl);
        return;
    }
    printf("%-4s  %-8s  %s\n", states[state], doctor->check, text);
    if (advice != NULL) {
        printf("%16s%s\n", "", advice);
    }
}
