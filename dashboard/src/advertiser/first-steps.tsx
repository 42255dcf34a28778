// Five steps from an empty account to the first ad.  Each is seen in what the
// API says, never remembered.

import { useData } from "../api/data";
import { user } from "../api/session";
import { ask } from "../api/client";
import { t } from "../base/prefs";
import { Button, LinkButton } from "../ui/button";
import { say } from "../ui/feedback";
import { attempt } from "../ui/form";
import { Icon } from "../ui/icon";
import { Card } from "../ui/page";

interface Step {
  name: "email" | "campaign" | "products" | "money" | "active";
  done: boolean;
  to?: string;
}

/** Null while it is not known how far the account is. */
export function useSteps(): Step[] | null {
  const me = useData("/v1/auth/me").data;
  const campaigns = useData("/v1/campaigns", { query: { limit: 50 } }).data?.data;
  const products = useData("/v1/products", { query: { limit: 1 } }).data?.data;
  const balance = useData("/v1/balance").data;
  if (!me || !campaigns || !products || !balance) {
    return null;
  }
  const live = campaigns.filter((c) => c.status !== "archived");
  const active = campaigns.some((c) => c.status === "active");
  const first = live[0];
  return [
    { name: "email", done: me.user?.email_verified ?? true },
    { name: "campaign", done: campaigns.length > 0, to: "/campaigns/new" },
    { name: "products", done: products.length > 0, to: "/products/upload" },
    {
      name: "money", to: "/balance/topup",
      done: balance.available_micros > 0 || balance.pending_micros > 0 || balance.spent_total_micros > 0,
    },
    { name: "active", done: active, to: first ? `/campaigns/${first.id}` : undefined },
  ];
}

function resend(): void {
  void attempt(async () => {
    await ask("post", "/v1/auth/email/verify/resend", { body: {} });
    say(t("steps.email.sent"));
  }, say);
}

export function FirstSteps({ steps }: { steps: Step[] }) {
  const next = steps.find((step) => !step.done);
  const done = steps.filter((step) => step.done).length;
  return (
    <Card title={t("steps.title")}
      actions={<span class="faint small">{t("steps.progress", { done, all: steps.length })}</span>}>
      <ol class="steps">
        {steps.map((step, n) => (
          <li key={step.name}>
            <span class={step.done ? "step-mark done" : "step-mark"}>
              {step.done ? <Icon name="check" /> : n + 1}
            </span>
            <div class={step.done ? "done-text" : ""}>
              <h3>{t(`steps.${step.name}`)}
                {step.done && <span class="unseen"> {t("steps.done")}</span>}</h3>
              {!step.done && <p class="soft small">
                {t(`steps.${step.name}.text`, { email: user.value?.email ?? "" })}
              </p>}
            </div>
            {!step.done && step.name === "email"
              && <Button onClick={resend}>{t("steps.email.do")}</Button>}
            {!step.done && step.to && (
              <LinkButton to={step.to} look={step === next ? "main" : "plain"}>
                {t(`steps.${step.name as "campaign" | "products" | "money" | "active"}.do`)}
              </LinkButton>
            )}
          </li>
        ))}
      </ol>
    </Card>
  );
}
