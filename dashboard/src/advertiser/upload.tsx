// A feed of products: tried first, then imported, with its progress and a report
// of the rows that were refused.

import { useSignal } from "@preact/signals";
import { type Result, send, url, uuid } from "../api/client";
import { changed, useData } from "../api/data";
import { Problem } from "../api/problem";
import { counted, t } from "../base/prefs";
import { query } from "../base/router";
import { count, currency, time } from "../base/shown";
import { Button, LinkButton } from "../ui/button";
import { Badge, Empty, Failed, Loading, Notice } from "../ui/feedback";
import { Field, Form, useForm } from "../ui/form";
import { Card, Figure, Figures, Meter, Page } from "../ui/page";
import { saveCsv } from "../ui/save";
import { Table } from "../ui/table";
import { useCampaigns } from "./campaign-choice";

type Import = Result<"/v1/products/import/{id}", "get">;
const sizeMax = 32 * 1024 * 1024;

export function UploadPage() {
  const campaigns = useCampaigns();
  return (
    <Page title={t("palette.upload")} lead={t("upload.lead")}
      back={{ to: "/products", label: t("nav.products") }}>
      {!campaigns ? <Loading rows={5} /> : campaigns.length === 0 ? (
        <Empty icon="campaign" title={t("product.needs_campaign")}>
          <LinkButton to="/campaigns/new" look="main">{t("campaign.new")}</LinkButton>
        </Empty>
      ) : <Upload campaigns={campaigns} />}
      <Earlier />
    </Page>
  );
}

function Upload({ campaigns }: { campaigns: [string, string][] }) {
  const form = useForm(() => ({
    campaign_id: query.value.get("campaign") ?? campaigns[0][0],
    currency: currency(), base_url: "", gone: "keep",
  }));
  const file = useSignal<File | null>(null);
  const over = useSignal(false);
  const current = useSignal<string | null>(null);
  const choose = (chosen: File | undefined) => {
    file.value = chosen ?? null;
    current.value = null;
  };
  const start = async (dry: boolean) => {
    if (!file.value || file.value.size > sizeMax) {
      throw new Problem(400, { code: "file", detail: t(file.value ? "upload.too_large" : "upload.no_file") }, null);
    }
    const values = form.values.value;
    const to = url("/v1/products/import", {}, {
      campaign_id: values.campaign_id, dry_run: dry || undefined,
      gone: values.gone, currency: values.currency, base_url: values.base_url,
    });
    const answer = await send("POST", to, { file: file.value, once: uuid() });
    current.value = (await answer.json() as Import).id;
    changed("/v1/products/import");
  };
  const real = async () => {
    form.busy.value = true;
    try {
      await start(false);
    } catch (error) {
      form.problem.value = error as Problem;
    } finally {
      form.busy.value = false;
    }
  };
  return (
    <Card>
      <div class="stack">
        <Form form={form} onSubmit={() => start(true)} action={t("upload.try")}
          extra={<Button onClick={() => void real()} busy={form.busy.value}>{t("upload.now")}</Button>}>
          <Field form={form} name="campaign_id" label={t("campaign.one")} options={campaigns} />
          <label class={over.value ? "drop over" : "drop"}
            onDragOver={(event) => { event.preventDefault(); over.value = true; }}
            onDragLeave={() => { over.value = false; }}
            onDrop={(event) => {
              event.preventDefault();
              over.value = false;
              choose(event.dataTransfer?.files[0]);
            }}>
            <span class="strong">{file.value?.name ?? t("upload.choose")}</span>
            <span class="small">{file.value
              ? t("upload.size", { kb: count(Math.ceil(file.value.size / 1024)) }) : t("upload.formats")}</span>
            <input type="file" aria-label={t("upload.file")}
              onChange={(event) => choose(event.currentTarget.files?.[0])} />
          </label>
          <details>
            <summary>{t("campaign.more")}</summary>
            <div class="pair">
              <Field form={form} name="currency" label={t("product.currency")} hint={t("upload.currency.hint")} />
              <Field form={form} name="base_url" type="url" label={t("upload.base_url")} hint={t("upload.base_url.hint")} />
              <Field form={form} name="gone" label={t("upload.gone")}
                options={[["keep", t("upload.gone.keep")], ["archive", t("upload.gone.archive")]]} />
            </div>
          </details>
        </Form>
        {current.value && <Progress key={current.value} id={current.value} onReal={() => void real()} />}
      </div>
    </Card>
  );
}

function Progress({ id, onReal }: { id: string; onReal: () => void }) {
  const done = useSignal(false);
  const { data, problem } = useData("/v1/products/import/{id}",
    { path: { id }, every: done.value ? undefined : 700 });
  const ended = data?.status === "done" || data?.status === "failed";
  if (ended && !done.value) {
    done.value = true;
    changed("/v1/products", "/v1/campaigns");
  }
  if (!data) {
    return problem ? <Failed problem={problem} /> : <Loading />;
  }
  if (!ended) {
    return (
      <div role="status">
        <p>{t("upload.running", { percent: data.progress?.percent ?? 0, rows: count(data.progress?.rows ?? 0) })}</p>
        <Meter label={t("upload.progress")} share={(data.progress?.percent ?? 0) / 100} />
      </div>
    );
  }
  return <Outcome data={data} onReal={onReal} />;
}

function Outcome({ data, onReal }: { data: Import; onReal: () => void }) {
  const counts = data.counts;
  const bad = counts?.bad ?? 0;
  const used = data.mapping?.filter((column) => column.field) ?? [];
  const unused = data.mapping?.filter((column) => !column.field) ?? [];
  return (
    <div class="stack" role="status">
      {data.status === "failed"
        ? <Notice kind="warn">{data.failure?.detail ?? t("upload.failed")}</Notice>
        : <Notice kind="good">
          {data.dry_run ? t("upload.tried") : t("upload.done")}
          {data.dry_run && <> <Button look="main" onClick={onReal}>{t("upload.now")}</Button></>}
        </Notice>}
      {counts && (
        <Figures>
          <Figure label={t("upload.added")} value={count(counts.added)} />
          <Figure label={t("upload.changed")} value={count(counts.changed)} />
          <Figure label={t("upload.unchanged")} value={count(counts.unchanged)} />
          <Figure label={t("upload.gone_n")} value={count(counts.archived || counts.gone)} />
          <Figure label={t("upload.bad")} value={count(bad)} />
        </Figures>
      )}
      {used.length > 0 && (
        <div>
          <h3>{t("upload.mapping")}</h3>
          <p class="soft small">{used.map((c) => `${c.name} → ${c.field}`).join(", ")}</p>
          {unused.length > 0 && <p class="faint small">{t("upload.unused")} {unused.map((c) => c.name).join(", ")}</p>}
        </div>
      )}
      {bad > 0 && <>
        <div class="row between">
          <h3>{counted("upload.bad_rows", bad)}</h3>
          <Button icon="down" onClick={() => void saveCsv("feed-errors.csv", `/v1/products/import/${data.id}/errors?limit=500`)}>
            {t("upload.report")}
          </Button>
        </div>
        <Table label={t("upload.bad")} rows={(data.errors ?? []).slice(0, 20)}
          id={(row) => `${row.line}-${row.column}-${row.field}`} columns={[
            { key: "line", label: t("upload.line"), number: true, show: (row) => count(row.line) },
            { key: "field", label: t("upload.field"), show: (row) => <code>{row.field}</code> },
            { key: "rule", label: t("upload.rule"), show: (row) => row.rule },
          ]} />
      </>}
    </div>
  );
}

function Earlier() {
  const { data } = useData("/v1/products/import", { query: { limit: 10 } });
  if (!data || data.data.length === 0) {
    return null;
  }
  return (
    <Card title={t("upload.earlier")} flush>
      <Table label={t("upload.earlier")} rows={data.data} id={(row) => row.id} columns={[
        { key: "at", label: t("upload.at"), show: (row) => time(row.created_at) },
        {
          key: "status", label: t("campaign.status"),
          show: (row) => <><Badge group="import" word={row.status} />{row.dry_run && ` ${t("upload.dry")}`}</>,
        },
        { key: "rows", label: t("upload.rows"), number: true, show: (row) => count(row.counts?.rows) },
        { key: "added", label: t("upload.added"), number: true, spare: true, show: (row) => count(row.counts?.added) },
        { key: "changed", label: t("upload.changed"), number: true, spare: true, show: (row) => count(row.counts?.changed) },
        { key: "bad", label: t("upload.bad"), number: true, show: (row) => count(row.counts?.bad) },
      ]} />
    </Card>
  );
}

