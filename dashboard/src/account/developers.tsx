// For who builds on the API: keys, what was asked lately, what went wrong.

import { useSignal } from "@preact/signals";
import { ask, asked, type Asked, type Result } from "../api/client";
import { curl } from "../api/curl";
import { changed, useData } from "../api/data";
import { account } from "../api/session";
import { t } from "../base/prefs";
import { ago, time } from "../base/shown";
import { Button } from "../ui/button";
import { CodeBox } from "../ui/code";
import { confirmed, Dialog } from "../ui/dialog";
import { Badge, Empty, Failed, Loading, Notice, say } from "../ui/feedback";
import { attempt, Field, Form, useForm } from "../ui/form";
import { Icon } from "../ui/icon";
import { Card, Page } from "../ui/page";
import { copy } from "../ui/save";
import { Table } from "../ui/table";

type Key = Result<"/v1/auth/api-key", "get">["data"][number];
type Made = Result<"/v1/auth/api-key", "post">;
const keysChanged = () => changed("/v1/auth/api-key");

export function DevelopersPage() {
  const making = useSignal<Key | "new" | null>(null);
  const made = useSignal<Made | null>(null);
  return (
    <Page title={t("nav.developers")} actions={<>
      <a class="button" href="/docs"><Icon name="code" /><span>{t("nav.docs")}</span></a>
      <Button look="main" icon="plus" onClick={() => { making.value = "new"; }}>{t("key.new")}</Button>
    </>}>
      <Keys onRotate={(key) => { making.value = key; }} />
      <Lately />
      {making.value && (
        <NewKey rotate={making.value === "new" ? null : making.value}
          onClose={() => { making.value = null; }}
          onMade={(key) => { making.value = null; made.value = key; }} />
      )}
      {made.value && <Shown made={made.value} onClose={() => { made.value = null; }} />}
    </Page>
  );
}

function Keys({ onRotate }: { onRotate: (key: Key) => void }) {
  const { data, problem, reload } = useData("/v1/auth/api-key", { query: { limit: 100 } });
  const revoke = async (key: Key) => {
    if (await confirmed(t("key.revoke.title", { name: key.name }), t("key.revoke.text"), t("key.revoke"))) {
      await attempt(async () => {
        await ask("delete", "/v1/auth/api-key/{id}", { path: { id: key.id } });
        keysChanged();
        say(t("key.revoked_now", { name: key.name }));
      }, say);
    }
  };
  return (
    <Card title={t("key.title")} flush>
      {problem && !data ? <Failed problem={problem} retry={reload} /> : !data ? <Loading />
        : data.data.length === 0 ? <Empty icon="code" title={t("key.none")}><p>{t("key.none.text")}</p></Empty> : (
          <Table label={t("key.title")} rows={data.data} id={(row) => row.id} columns={[
            { key: "name", label: t("key.name"), show: (row) => <span class="strong">{row.name || t("key.unnamed")}</span> },
            { key: "last", label: t("key.ends"), show: (row) => <code>…{row.last_four}</code> },
            {
              key: "status", label: t("campaign.status"), show: (row) => <span class="row">
                <Badge group="key" word={row.status ?? "active"} />
                {row.mode === "test" && <Badge group="key" word="test" />}
              </span>,
            },
            { key: "used", label: t("key.used"), spare: true, show: (row) => row.last_used_at ? ago(row.last_used_at) : "–" },
            { key: "expires", label: t("key.expires"), spare: true, show: (row) => time(row.expires_at) },
            {
              key: "do", label: "", number: true, show: (row) => row.status === "active" ? <span class="row">
                <Button look="quiet" onClick={() => onRotate(row)}>{t("key.rotate")}</Button>
                <Button look="quiet" onClick={() => void revoke(row)}>{t("key.revoke")}</Button>
              </span> : null,
            },
          ]} />
        )}
    </Card>
  );
}

function NewKey({ rotate, onClose, onMade }:
  { rotate: Key | null; onClose: () => void; onMade: (key: Made) => void }) {
  const form = useForm(() => ({ name: rotate?.name ?? "", mode: rotate?.mode ?? "live", grace: "24" }));
  const submit = async (values: typeof form.values.value) => {
    const { data } = await ask("post", "/v1/auth/api-key", {
      body: rotate
        ? { name: values.name, rotate: rotate.id, grace_s: Math.round(Number(values.grace) * 3600) || 0 }
        : { name: values.name, test: values.mode === "test" },
    });
    keysChanged();
    onMade(data);
  };
  return (
    <Dialog title={t(rotate ? "key.rotate.title" : "key.new")} onClose={onClose}>
      <Form form={form} onSubmit={submit} action={t(rotate ? "key.rotate" : "key.make")}>
        {rotate && <p class="soft">{t("key.rotate.text")}</p>}
        <Field form={form} name="name" label={t("key.name")} hint={t("key.name.hint")} />
        {rotate
          ? <Field form={form} name="grace" label={t("key.grace")} unit={t("unit.hours")} mode="numeric" />
          : <Field form={form} name="mode" label={t("key.mode")} hint={t("key.mode.hint")}
            options={[["live", t("key.live")], ["test", t("key.test")]]} />}
      </Form>
    </Dialog>
  );
}

function Shown({ made, onClose }: { made: Made; onClose: () => void }) {
  const path = account.value?.type === "publisher" ? "/v1/account" : "/v1/auth/me";
  return (
    <Dialog title={t("key.shown")} onClose={onClose} wide>
      <div class="stack">
        <Notice kind="warn">{t("key.once")}</Notice>
        <CodeBox text={made.key ?? ""} />
        <p class="soft">{t("key.try")}</p>
        <CodeBox text={`export ADS_KEY='${made.key}'\n${curl(location.origin, { method: "GET", url: path, body: null })}`} />
        <div class="actions end"><Button look="main" onClick={onClose}>{t("key.kept")}</Button></div>
      </div>
    </Dialog>
  );
}

function Lately() {
  const only = useSignal(false);
  const rows = asked.value.filter((one) => !one.url.startsWith("/v1/auth/oauth")
    && (!only.value || one.code !== null)).slice(0, 20);
  const line = (one: Asked) => void copy(curl(location.origin, one)).then(() => say(t("do.copied")));
  return (
    <Card title={t("asked.title")} flush actions={
      <label class="check">
        <input type="checkbox" checked={only.value} onChange={(event) => { only.value = event.currentTarget.checked; }} />
        {t("asked.problems")}
      </label>
    }>
      <p class="soft small">{t("asked.text")}</p>
      {rows.length === 0 ? <Empty icon="check" title={t("asked.none")} /> : (
        <Table label={t("asked.title")} rows={rows} id={(row) => `${row.at}${row.requestId}`} columns={[
          { key: "what", label: t("asked.what"), show: (row) => <code>{row.method} {row.url.split("?")[0]}</code> },
          { key: "status", label: t("asked.status"), show: (row) => <code>{row.status} {row.code ?? ""}</code> },
          { key: "id", label: t("asked.id"), spare: true, show: (row) => <code class="faint">{row.requestId ?? "–"}</code> },
          {
            key: "do", label: "", number: true,
            show: (row) => <Button look="quiet" icon="copy" onClick={() => line(row)}>{t("asked.curl")}</Button>,
          },
        ]} />
      )}
    </Card>
  );
}
