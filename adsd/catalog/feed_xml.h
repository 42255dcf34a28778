/*
 * XML feeds: RSS 2.0 (item) and Atom (entry), as Google Merchant writes them;
 * the only user of expat.
 *
 * Each item comes as the texts of its direct children; the prefix before a
 * colon is dropped (g:price is price), of elements that come again the texts
 * are joined by a line break, and what is nested deeper is left out.  No DTD is
 * read: a document that declares entities is refused.
 */
#ifndef ADSD_FEED_XML_H
#define ADSD_FEED_XML_H

#include "catalog/feed_table.h"

#define FEED_ITEM_MAX (1 << 20) /* bytes of text of one item */

struct feed_xml;

/* Reads from the feed, which stays the caller's. */
struct feed_xml *
feed_xml_open(struct feed *feed);

void
feed_xml_close(struct feed_xml *xml);

/*
 * The next item: names and values, borrowed until the next call.  ADS_INVALID:
 * a bad item, of which *why tells, and reading goes on.  ADS_DAMAGED: no feed,
 * or not well-formed from `line` on, *why tells.  ADS_ABSENT: the end.
 */
ADS_MUST enum ads_err
feed_xml_next(struct feed_xml *xml, struct feed_record *names,
              struct feed_record *values, const char **why);

#endif
