/*
 * Lucene as bench/engines runs it: titles at weight 2 and brand with text at 1,
 * EnglishAnalyzer, BM25, any of the words.
 *
 *     Search FOLDER
 *
 * Reads and leaves the files that search.py does.  Warming goes on until the
 * compiler of the Java machine had two seconds for it.
 */
import java.io.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import org.apache.lucene.analysis.*;
import org.apache.lucene.analysis.en.EnglishAnalyzer;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;
import org.apache.lucene.document.*;
import org.apache.lucene.index.*;
import org.apache.lucene.search.*;
import org.apache.lucene.search.similarities.BM25Similarity;
import org.apache.lucene.store.*;
import org.apache.lucene.util.Version;

public class Search {
    static final int DEPTH = 1000; /* products of a query in the run */
    static final int FIRST = 10; /* products of a query that is timed */
    static final int PASSES = 3;
    static final long WARM_NS = 2_000_000_000L;

    static final Analyzer analyzer = new EnglishAnalyzer();


    static List<String[]> rows(Path path) throws IOException
    {
        List<String[]> rows = new ArrayList<>();

        for (String line :
             Files.readString(path, StandardCharsets.UTF_8).split("\n"))
        {
            rows.add(line.split("\t", -1));
        }
        return rows;
    }


    static void build(Directory directory, List<String[]> products)
        throws IOException
    {
        IndexWriterConfig config =
            new IndexWriterConfig(Version.LUCENE_4_10_4, analyzer);

        config.setSimilarity(new BM25Similarity());
        try (IndexWriter writer = new IndexWriter(directory, config)) {
            for (String[] product : products) {
                Document document = new Document();

                document.add(new StoredField("id", product[0]));
                document.add(
                    new TextField("title", product[1], Field.Store.NO));
                document.add(new TextField(
                    "text", product[2] + " " + product[3], Field.Store.NO));
                writer.addDocument(document);
            }
            writer.forceMerge(1);
        }
    }


    static TopDocs find(IndexSearcher searcher, String words, int most)
        throws IOException
    {
        BooleanQuery query = new BooleanQuery();

        try (TokenStream stream = analyzer.tokenStream("title", words)) {
            CharTermAttribute term =
                stream.addAttribute(CharTermAttribute.class);

            stream.reset();
            while (stream.incrementToken()) {
                TermQuery title =
                    new TermQuery(new Term("title", term.toString()));
                TermQuery text =
                    new TermQuery(new Term("text", term.toString()));

                title.setBoost(2);
                query.add(title, BooleanClause.Occur.SHOULD);
                query.add(text, BooleanClause.Occur.SHOULD);
            }
            stream.end();
        }
        return searcher.search(query, most);
    }


    static double[] timed(IndexSearcher searcher, List<String[]> queries)
        throws IOException
    {
        double[] best = new double[queries.size()];
        long warm = System.nanoTime() + WARM_NS;

        Arrays.fill(best, Double.POSITIVE_INFINITY);
        do {
            for (String[] query : queries) {
                find(searcher, query[1], FIRST);
            }
        } while (System.nanoTime() < warm);
        for (int pass = 0; pass < PASSES; pass++) {
            for (int i = 0; i < best.length; i++) {
                long begun = System.nanoTime();

                find(searcher, queries.get(i)[1], FIRST);
                best[i] =
                    Math.min(best[i], (System.nanoTime() - begun) / 1000.0);
            }
        }
        return best;
    }


    public static void main(String[] args) throws IOException
    {
        Path folder = Paths.get(args[0]);
        Directory directory =
            FSDirectory.open(folder.resolve("lucene").toFile());
        long bytes = 0;

        build(directory, rows(folder.resolve("products.tsv")));
        for (String file : directory.listAll()) {
            bytes += directory.fileLength(file);
        }

        IndexSearcher searcher =
            new IndexSearcher(DirectoryReader.open(directory));

        searcher.setSimilarity(new BM25Similarity());
        try (PrintWriter out = new PrintWriter(
                 folder.resolve("times.tsv").toFile(), StandardCharsets.UTF_8))
        {
            for (double us : timed(searcher, rows(folder.resolve("timed.tsv"))))
            {
                out.printf(Locale.ROOT, "%.1f\n", us);
            }
        }
        try (PrintWriter out = new PrintWriter(
                 folder.resolve("run.tsv").toFile(), StandardCharsets.UTF_8))
        {
            for (String[] query : rows(folder.resolve("queries.tsv"))) {
                TopDocs found = find(searcher, query[1], DEPTH);

                for (ScoreDoc hit : found.scoreDocs) {
                    out.print(query[0] + "\t"
                              + searcher.doc(hit.doc).get("id") + "\n");
                }
            }
        }
        System.out.println(bytes);
    }
}
