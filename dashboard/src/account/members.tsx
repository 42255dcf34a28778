// Who may act for the account, and who is invited.

import { ask, type Result } from "../api/client";
import { changed, useData } from "../api/data";
import { account, user } from "../api/session";
import { t } from "../base/prefs";
import { time } from "../base/shown";
import { Button } from "../ui/button";
import { confirmed } from "../ui/dialog";
import { Badge, Failed, Loading, say } from "../ui/feedback";
import { attempt, Field, Form, useForm } from "../ui/form";
import { Card, Page } from "../ui/page";
import { Table } from "../ui/table";

type Member = Result<"/v1/account/members", "get">["data"][number];
const roles = ["owner", "editor", "viewer"] as const;
type Role = (typeof roles)[number];
const membersChanged = () => changed("/v1/account/members");

export function MembersPage() {
  const { data, problem, reload } = useData("/v1/account/members", { query: { limit: 200 } });
  const owner = account.value?.role === "owner";
  return (
    <Page title={t("nav.members")} lead={t("member.lead")}>
      <Card flush>
        {problem && !data ? <Failed problem={problem} retry={reload} /> : !data ? <Loading />
          : <List rows={data.data} owner={owner} />}
      </Card>
      {owner && <Invite />}
    </Page>
  );
}

function List({ rows, owner }: { rows: Member[]; owner: boolean }) {
  const change = (member: Member, role: Role) => attempt(async () => {
    await ask("patch", "/v1/account/members/{id}", { path: { id: member.id }, body: { role } });
    membersChanged();
    say(t("do.saved"));
  }, say);
  const remove = async (member: Member) => {
    if (await confirmed(t("member.remove.title", { email: member.email }), t("member.remove.text"), t("member.remove"))) {
      await attempt(async () => {
        await ask("delete", "/v1/account/members/{id}", { path: { id: member.id } });
        membersChanged();
      }, say);
    }
  };
  return (
    <Table label={t("nav.members")} rows={rows} id={(row) => row.id} columns={[
      {
        key: "who", label: t("member.who"), show: (row) => <>
          <span class="strong">{row.name ?? row.email}</span>
          {row.name && <div class="faint small">{row.email}</div>}
        </>,
      },
      {
        key: "role", label: t("member.role"), show: (row) => owner && row.email !== user.value?.email ? (
          <select class="plain-select" value={row.role} aria-label={`${t("member.role")}: ${row.email}`}
            onChange={(event) => void change(row, event.currentTarget.value as Role)}>
            {roles.map((role) => <option key={role} value={role}>{t(`role.${role}`)}</option>)}
          </select>
        ) : t(`role.${row.role}`),
      },
      { key: "status", label: t("campaign.status"), spare: true, show: (row) => <Badge group="member" word={row.status} /> },
      { key: "since", label: t("member.since"), spare: true, show: (row) => time(row.created_at) },
      {
        key: "do", label: "", number: true, show: (row) => owner && row.email !== user.value?.email
          ? <Button look="quiet" onClick={() => void remove(row)}>{t("member.remove")}</Button> : null,
      },
    ]} />
  );
}

function Invite() {
  const form = useForm(() => ({ email: "", role: "editor" }));
  const submit = async (values: { email: string; role: string }) => {
    await ask("post", "/v1/account/members", { body: { email: values.email, role: values.role as Role } });
    membersChanged();
    say(t("member.invited_now", { email: values.email }));
    form.reset({ email: "", role: "editor" });
  };
  return (
    <Card title={t("member.invite")}>
      <Form form={form} onSubmit={submit} action={t("member.invite")}>
        <div class="pair">
          <Field form={form} name="email" type="email" label={t("auth.email")} />
          <Field form={form} name="role" label={t("member.role")}
            options={roles.map((role) => [role, `${t(`role.${role}`)}: ${t(`role.${role}.text`)}`])} />
        </div>
      </Form>
    </Card>
  );
}
