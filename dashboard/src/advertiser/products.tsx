// All products: thousands of rows, of which only those seen are in the page.

import { useSignal } from "@preact/signals";
import { useCallback, useEffect } from "preact/hooks";
import { ask, type Result, url } from "../api/client";
import { Problem } from "../api/problem";
import { counted, t } from "../base/prefs";
import { query, setQuery } from "../base/router";
import { money } from "../base/shown";
import { Button, Link, LinkButton } from "../ui/button";
import { Badge, Empty, Failed, Loading } from "../ui/feedback";
import { Card, Page } from "../ui/page";
import { saveCsv } from "../ui/save";
import { Search } from "../ui/search";
import { LongTable } from "../ui/table";
import { CampaignChoice } from "./campaign-choice";

type Product = Result<"/v1/products", "get">["data"][number];
type Review = Product["review"]["status"];
const pageRows = 200;

/** The list so far; more() asks for the next page, one at a time. */
function usePages(q: string, campaign: string, review: string) {
  const rows = useSignal<Product[] | null>(null);
  const cursor = useSignal<string | null>(null);
  const problem = useSignal<Problem | null>(null);
  const busy = useSignal(0); // which of the questions is asked, 0 for none
  const question = useSignal(0);

  const load = useCallback(async (first: boolean) => {
    const mine = first ? ++question.value : question.value;
    if (!first && (busy.value === mine || !cursor.value)) {
      return;
    }
    busy.value = mine;
    try {
      const { data } = await ask("get", "/v1/products", {
        query: {
          status: "active", limit: pageRows, q: q || undefined,
          campaign_id: campaign || undefined,
          review_status: (review || undefined) as Review | undefined,
          cursor: first ? undefined : cursor.value ?? undefined,
        },
      });
      if (mine === question.value) {
        rows.value = first ? data.data : [...rows.value ?? [], ...data.data];
        cursor.value = data.next_cursor;
        problem.value = null;
      }
    } catch (error) {
      if (error instanceof Problem && mine === question.value) {
        problem.value = error;
      }
    } finally {
      if (busy.value === mine) {
        busy.value = 0;
      }
    }
  }, [q, campaign, review]);
  useEffect(() => { void load(true); }, [load]);
  const more = useCallback(() => void load(false), [load]);
  return { rows: rows.value, problem: problem.value, more, hasMore: cursor.value !== null, again: () => void load(true) };
}

export function ProductsPage() {
  const q = query.value.get("q") ?? "";
  const campaign = query.value.get("campaign") ?? "";
  const review = query.value.get("review") ?? "";
  const typed = useSignal(q);
  const { rows, problem, more, hasMore, again } = usePages(q, campaign, review);
  const searched = !!(q || campaign || review);
  const csv = () => void saveCsv("products.csv", url("/v1/products", {}, {
    status: "active", limit: 500, q, campaign_id: campaign, review_status: review,
  }));
  return (
    <Page title={t("nav.products")} actions={<>
      <Button icon="down" onClick={csv}>{t("do.csv")}</Button>
      <LinkButton to="/products/upload" icon="up">{t("palette.upload")}</LinkButton>
      <LinkButton to="/products/new" look="main" icon="plus">{t("product.new")}</LinkButton>
    </>}>
      <div class="toolbar">
        <Search label={t("product.search")} value={typed.value}
          onSearch={(text) => { typed.value = text; setQuery({ q: text.trim() || null }); }} />
        <CampaignChoice value={campaign} onChange={(id) => setQuery({ campaign: id || null })} />
        <select class="plain-select" aria-label={t("product.review")} value={review}
          onChange={(event) => setQuery({ review: event.currentTarget.value || null })}>
          <option value="">{t("product.any_review")}</option>
          {(["approved", "pending", "rejected"] as const).map((word) =>
            <option key={word} value={word}>{t(`review.${word}`)}</option>)}
        </select>
        {rows && rows.length > 0 && (
          <span class="faint small" role="status">
            {counted("product.count", rows.length)}{hasMore ? "+" : ""}
          </span>
        )}
      </div>
      <Card flush>
        {problem ? <Failed problem={problem} retry={again} />
          : !rows ? <Loading rows={8} />
            : rows.length === 0 ? (
              <Empty icon={searched ? "search" : "product"}
                title={t(searched ? "product.none_found" : "product.none")}>
                <p>{t(searched ? "product.none_found.text" : "product.none.text")}</p>
                {!searched && (
                  <LinkButton to="/products/upload" look="main" icon="up">{t("palette.upload")}</LinkButton>
                )}
              </Empty>
            ) : <List rows={rows} more={hasMore ? more : undefined} />}
      </Card>
    </Page>
  );
}

function List({ rows, more }: { rows: Product[]; more?: () => void }) {
  return (
    <LongTable label={t("nav.products")} rows={rows} id={(row) => row.id} more={more}
      total={more ? null : rows.length} columns={[
        {
          key: "title", label: t("product.title"), part: "minmax(0, 3fr)",
          show: (row) => <Link to={`/products/${row.id}`} class="strong">{row.title}</Link>,
        },
        { key: "sku", label: t("product.sku"), part: "minmax(0, 1fr)", spare: true, show: (row) => <span class="mono faint">{row.sku ?? "–"}</span> },
        { key: "brand", label: t("product.brand"), part: "minmax(0, 1fr)", spare: true, show: (row) => row.brand || "–" },
        { key: "review", label: t("product.review"), part: "120px", spare: true, show: (row) => <Badge group="review" word={row.review.status} /> },
        {
          key: "price", label: t("product.price"), part: "110px", number: true,
          show: (row) => money(row.sale_price_micros ?? row.price_micros, row.currency),
        },
      ]} />
  );
}
