// What a publisher's programmer pastes, and how the label reads in each language.

import { useSignal } from "@preact/signals";
import { t } from "../base/prefs";
import { AdCard } from "../ui/ad";
import { LinkButton } from "../ui/button";
import { CodeBox } from "../ui/code";
import { Card, Page } from "../ui/page";
import { Tabs } from "../ui/tabs";

const labels: Record<string, string> = {
  en: "Sponsored", de: "Anzeige", fr: "Publicité", es: "Publicidad", it: "Pubblicità",
  nl: "Advertentie", pt: "Publicidade", pl: "Reklama", sv: "Annons", ja: "広告",
};

const ask = { query: "which laser printer should I buy?", placement: "inline" };

function snippets(origin: string): Record<string, string> {
  const json = JSON.stringify(ask);
  return {
    curl: `curl ${origin}/v1/ads/recommend \\
  -H "Authorization: Bearer $ADS_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '${json}'`,
    "Node.js": `const answer = await fetch("${origin}/v1/ads/recommend", {
  method: "POST",
  headers: {
    "Authorization": \`Bearer \${process.env.ADS_KEY}\`,
    "Content-Type": "application/json",
  },
  body: JSON.stringify(${json}),
});
const { decision, ads } = await answer.json();`,
    Python: `import json, os, urllib.request

request = urllib.request.Request(
    "${origin}/v1/ads/recommend",
    json.dumps(${json}).encode(),
    {"Authorization": "Bearer " + os.environ["ADS_KEY"],
     "Content-Type": "application/json"})
answer = json.load(urllib.request.urlopen(request, timeout=1))`,
    PHP: `$curl = curl_init("${origin}/v1/ads/recommend");
curl_setopt_array($curl, [
    CURLOPT_RETURNTRANSFER => true,
    CURLOPT_TIMEOUT_MS => 1000,
    CURLOPT_HTTPHEADER => [
        "Authorization: Bearer " . getenv("ADS_KEY"),
        "Content-Type: application/json"],
    CURLOPT_POSTFIELDS => json_encode([
        "query" => "${ask.query}", "placement" => "inline"]),
]);
$answer = json_decode(curl_exec($curl), true);`,
  };
}

export function IntegrationPage() {
  const all = snippets(location.origin);
  const chosen = useSignal("curl");
  const language = useSignal("en");
  return (
    <Page title={t("nav.integration")} lead={t("integration.lead")}
      actions={<LinkButton to="/developers" look="main">{t("integration.key")}</LinkButton>}>
      <Card title={t("integration.ask")} actions={
        <Tabs label={t("integration.ask")} value={chosen.value}
          options={Object.keys(all).map((name) => [name, name])}
          onChange={(name) => { chosen.value = name; }} />
      }>
        <div class="stack">
          <CodeBox text={all[chosen.value]} label={t("integration.ask")} />
          <p class="soft">{t("integration.server")}</p>
        </div>
      </Card>
      <Card title={t("integration.label")} actions={
        <select class="plain-select" aria-label={t("product.language")} value={language.value}
          onChange={(event) => { language.value = event.currentTarget.value; }}>
          {Object.keys(labels).map((code) => <option key={code} value={code}>{code}</option>)}
        </select>
      }>
        <div class="stack">
          <p class="soft">{t("integration.label.text")}</p>
          <AdCard title={t("auth.sample.ad")} advertiser="Quillon" micros={189_000_000} currency="USD"
            brand="Quillon" label={labels[language.value]} />
        </div>
      </Card>
      <Card title={t("integration.seen")}>
        <div class="stack">
          <p class="soft">{t("integration.seen.text")}</p>
          <CodeBox text={'<img src="{impression_url}" alt="" width="1" height="1">'} label={t("integration.seen")} />
        </div>
      </Card>
    </Page>
  );
}
