// Every screen: its address, the kinds of account that have it, what shows it.

import type { FunctionComponent } from "preact";
import { AccountPage } from "./account/account";
import { DevelopersPage } from "./account/developers";
import { MembersPage } from "./account/members";
import { BalancePage } from "./advertiser/balance";
import { CampaignPage } from "./advertiser/campaign";
import { CampaignsPage } from "./advertiser/campaigns";
import { CampaignEditPage, CampaignNewPage } from "./advertiser/campaign-editor";
import { OverviewPage } from "./advertiser/overview";
import { ProductEditPage, ProductNewPage } from "./advertiser/product-editor";
import { ProductsPage } from "./advertiser/products";
import { ReportsPage } from "./advertiser/reports";
import { TopupPage } from "./advertiser/topup";
import { UploadPage } from "./advertiser/upload";
import type { Account } from "./api/session";
import { AccountsPage } from "./operator/accounts";
import { AuditPage } from "./operator/audit";
import { HealthPage } from "./operator/health";
import { ReviewsPage } from "./operator/reviews";
import { TopupsPage } from "./operator/topups";
import { IntegrationPage } from "./publisher/integration";
import { PublisherOverview } from "./publisher/overview";
import { PlaygroundPage } from "./publisher/playground";
import { PublisherReports } from "./publisher/reports";
import { RulesPage } from "./publisher/rules";

export interface Screen {
  at: string;
  show: FunctionComponent<any>;
  for?: Account["type"][];
}

export const screens: Screen[] = [
  { at: "/", for: ["advertiser"], show: OverviewPage },
  { at: "/campaigns", for: ["advertiser"], show: CampaignsPage },
  { at: "/campaigns/new", for: ["advertiser"], show: CampaignNewPage },
  { at: "/campaigns/:id", for: ["advertiser"], show: CampaignPage },
  { at: "/campaigns/:id/edit", for: ["advertiser"], show: CampaignEditPage },
  { at: "/products", for: ["advertiser"], show: ProductsPage },
  { at: "/products/new", for: ["advertiser"], show: ProductNewPage },
  { at: "/products/upload", for: ["advertiser"], show: UploadPage },
  { at: "/products/:id", for: ["advertiser"], show: ProductEditPage },
  { at: "/reports", for: ["advertiser"], show: ReportsPage },
  { at: "/balance", for: ["advertiser"], show: BalancePage },
  { at: "/balance/topup", for: ["advertiser"], show: TopupPage },
  { at: "/", for: ["publisher"], show: PublisherOverview },
  { at: "/reports", for: ["publisher"], show: PublisherReports },
  { at: "/rules", for: ["publisher"], show: RulesPage },
  { at: "/playground", for: ["publisher"], show: PlaygroundPage },
  { at: "/integration", for: ["publisher"], show: IntegrationPage },
  { at: "/", for: ["platform"], show: HealthPage },
  { at: "/reviews", for: ["platform"], show: ReviewsPage },
  { at: "/topups", for: ["platform"], show: TopupsPage },
  { at: "/accounts", for: ["platform"], show: AccountsPage },
  { at: "/audit", show: AuditPage },
  { at: "/developers", show: DevelopersPage },
  { at: "/members", show: MembersPage },
  { at: "/account", show: AccountPage },
];
