// Who changed what: each entry with the fields as they were and as they are.

import { useSignal } from "@preact/signals";
import type { Result } from "../api/client";
import { useData } from "../api/data";
import { changes } from "../base/diff";
import { named, t } from "../base/prefs";
import { time } from "../base/shown";
import { Button } from "../ui/button";
import { Empty, Failed, Loading } from "../ui/feedback";
import { Card, Page } from "../ui/page";
import { saveCsv } from "../ui/save";

type Entry = Result<"/v1/account/audit", "get">["data"][number];

export function AuditPage() {
  const limit = useSignal(50);
  const { data, problem, reload } = useData("/v1/account/audit", { query: { limit: limit.value } });
  return (
    <Page title={t("nav.audit")} lead={t("audit.lead")} actions={
      <Button icon="down" onClick={() => void saveCsv("audit.csv", "/v1/account/audit?limit=500")}>{t("do.csv")}</Button>
    }>
      <Card>
        {problem && !data ? <Failed problem={problem} retry={reload} /> : !data ? <Loading rows={6} />
          : data.data.length === 0 ? <Empty icon="report" title={t("state.none")} /> : (
            <ul class="list">
              {data.data.map((entry) => <One key={`${entry.at}${entry.object_id}${entry.action}`} entry={entry} />)}
            </ul>
          )}
      </Card>
      {data?.has_more && limit.value < 500 && <Button onClick={() => { limit.value = 500; }}>{t("do.more")}</Button>}
    </Page>
  );
}

const shown = (value: unknown) => typeof value === "string" ? value : JSON.stringify(value) ?? "–";

function One({ entry }: { entry: Entry }) {
  const fields = changes(entry.before, entry.after);
  return (
    <li>
      <details>
        <summary>
          <span class="strong">{named("object", entry.object)}: {named("action", entry.action)}</span>{" "}
          <span class="faint small">{time(entry.at)} · {entry.actor}</span>
        </summary>
        <dl class="pairs">
          {fields.map(({ name, before, after }) => (
            <>
              <dt key={name}>{name}</dt>
              <dd><del class="faint">{shown(before)}</del> → {shown(after)}</dd>
            </>
          ))}
          <dt>ID</dt><dd><code>{entry.object_id}</code></dd>
          <dt>{t("error.request")}</dt><dd><code>{entry.request_id ?? "–"}</code></dd>
        </dl>
      </details>
    </li>
  );
}
