/*
 * Files of secrets, for the verbs that change them.
 */
#ifndef ADSD_CTL_FILE_H
#define ADSD_CTL_FILE_H

#include <stddef.h>

#define CTL_FILE_MAX 65536

/* Reads the file into `text`, NUL behind; CTL_REFUSED, told, when it cannot be
 * read.  The caller wipes it. */
int
ctl_file_read(char text[CTL_FILE_MAX], const char *path);

/*
 * Puts the text in its place: a new file renamed over the old one, which is
 * whole at every moment.  Owner and mode stay; a file that was not there gets
 * `mode`.  CTL_REFUSED, told, with the old file as it was.
 */
int
ctl_file_replace(const char *path, const char *text, unsigned mode);

#endif
