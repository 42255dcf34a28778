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
  { at: "/developers", show: DevelopersPage },
  { at: "/members", show: MembersPage },
  { at: "/account", show: AccountPage },
];
