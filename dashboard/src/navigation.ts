// What is in the menu of each kind of account, in order.

import type { Account } from "./api/session";
import type { Key } from "./base/prefs";
import type { IconName } from "./ui/icon";

export interface Entry {
  to: string;
  label: Key;
  icon: IconName;
}

export interface Group {
  label?: Key;
  entries: Entry[];
}

const build: Entry = { to: "/developers", label: "nav.developers", icon: "code" };
const members: Entry = { to: "/members", label: "nav.members", icon: "people" };
const audit: Entry = { to: "/audit", label: "nav.audit", icon: "pulse" };

export const navigation: Record<Account["type"], Group[]> = {
  advertiser: [
    {
      entries: [
        { to: "/", label: "nav.overview", icon: "home" },
        { to: "/campaigns", label: "nav.campaigns", icon: "campaign" },
        { to: "/products", label: "nav.products", icon: "product" },
        { to: "/reports", label: "nav.reports", icon: "report" },
        { to: "/balance", label: "nav.balance", icon: "money" },
      ],
    },
    { label: "nav.group.build", entries: [build] },
    { label: "nav.group.team", entries: [members, audit] },
  ],
  publisher: [
    {
      entries: [
        { to: "/", label: "nav.overview", icon: "home" },
        { to: "/reports", label: "nav.reports", icon: "report" },
        { to: "/rules", label: "nav.rules", icon: "filter" },
        { to: "/playground", label: "nav.playground", icon: "chat" },
      ],
    },
    {
      label: "nav.group.build",
      entries: [{ to: "/integration", label: "nav.integration", icon: "link" }, build],
    },
    { label: "nav.group.team", entries: [members, audit] },
  ],
  platform: [
    {
      entries: [
        { to: "/", label: "nav.health", icon: "pulse" },
        { to: "/reviews", label: "nav.reviews", icon: "shield" },
        { to: "/topups", label: "nav.topups", icon: "money" },
        { to: "/accounts", label: "nav.accounts", icon: "person" },
        { ...audit, icon: "report" },
      ],
    },
    { label: "nav.group.build", entries: [build] },
    { label: "nav.group.team", entries: [members] },
  ],
};
