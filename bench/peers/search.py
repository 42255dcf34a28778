#!/usr/bin/python3
#
# Xapian and SQLite's FTS5 as bench/engines runs them.
#
#     search.py xapian|fts5 FOLDER
#
# FOLDER has products.tsv (id, title, brand, text), queries.tsv and timed.tsv
# (id, query).  Leaves run.tsv there: query id and product id, best first; and
# times.tsv: microseconds of each query of timed.tsv to its first ten products,
# the best of three passes after one that warms.  Prints the index's bytes.

import os
import re
import sys
import time

DEPTH = 1000  # products of a query in the run
FIRST = 10  # products of a query that is timed
PASSES = 3


def rows(path):
    with open(path, encoding="utf-8", newline="\n") as file:
        return [line.rstrip("\n").split("\t") for line in file]


class Xapian:
    """BM25 with the English stemmer; titles again at weight 2."""

    def __init__(self, folder, products):
        import xapian

        self.xapian = xapian
        path = os.path.join(folder, "xapian")
        loose = xapian.WritableDatabase(path + ".loose", xapian.DB_CREATE)
        terms = xapian.TermGenerator()
        terms.set_stemmer(xapian.Stem("english"))
        for _, title, brand, text in products:
            document = xapian.Document()
            terms.set_document(document)
            for part in (title, brand, text):
                terms.index_text(part)
                terms.increase_termpos()
            terms.index_text(title, 2)
            loose.add_document(document)
        loose.commit()
        loose.compact(path)
        loose.close()
        self.bytes = sum(entry.stat().st_size for entry in os.scandir(path))
        self.database = xapian.Database(path)
        self.enquire = xapian.Enquire(self.database)
        self.parser = xapian.QueryParser()
        self.parser.set_stemmer(xapian.Stem("english"))
        self.parser.set_database(self.database)
        self.parser.set_default_op(xapian.Query.OP_OR)

    def find(self, words, most):
        # a capital letter would keep a word from being stemmed
        self.enquire.set_query(self.parser.parse_query(words.lower(), 0))
        return [match.docid for match in self.enquire.get_mset(0, most)]


class Fts5:
    """bm25() of Porter's stems; all words, and under FIRST hits any word."""

    def __init__(self, folder, products):
        import sqlite3

        path = os.path.join(folder, "fts5")
        self.database = sqlite3.connect(path)
        self.database.execute(
            "create virtual table found using fts5(title, brand, text,"
            " content = '', tokenize = 'porter unicode61')"
        )
        self.database.executemany(
            "insert into found (rowid, title, brand, text)"
            " values (?, ?, ?, ?)",
            ((n, *row[1:]) for n, row in enumerate(products, 1)),
        )
        self.database.execute("insert into found (found) values ('optimize')")
        self.database.commit()
        self.database.execute("vacuum")
        self.bytes = os.stat(path).st_size

    def match(self, words, most):
        found = self.database.execute(
            "select rowid from found where found match ?"
            " and rank match 'bm25(5.0, 3.0, 1.0)' order by rank limit ?",
            (words, most),
        )
        return [row[0] for row in found]

    def find(self, words, most):
        words = ['"%s"' % word for word in re.findall(r"\w+", words)]
        if not words:
            return []
        found = self.match(" ".join(words), most)
        if len(found) < most and len(words) > 1:
            first = set(found)
            more = self.match(" OR ".join(words), most)
            found += [n for n in more if n not in first]
        return found[:most]


def timed(engine, queries):
    best = [float("inf")] * len(queries)
    for turn in range(PASSES + 1):
        for n, (_, words) in enumerate(queries):
            begun = time.perf_counter_ns()
            engine.find(words, FIRST)
            spent = time.perf_counter_ns() - begun
            if turn > 0:
                best[n] = min(best[n], spent / 1000)
    return best


def main():
    name, folder = sys.argv[1:]
    at = lambda file: os.path.join(folder, file)
    products = rows(at("products.tsv"))
    engine = {"xapian": Xapian, "fts5": Fts5}[name](folder, products)
    with open(at("times.tsv"), "w", encoding="utf-8") as file:
        for us in timed(engine, rows(at("timed.tsv"))):
            print("%.1f" % us, file=file)
    with open(at("run.tsv"), "w", encoding="utf-8") as file:
        for query, words in rows(at("queries.tsv")):
            for n in engine.find(words, DEPTH):
                print(query, products[n - 1][0], sep="\t", file=file)
    print(engine.bytes)


if __name__ == "__main__":
    main()
