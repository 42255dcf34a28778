#!/usr/bin/perl
#
# Types for clients: what the command of docs/api.md makes compiles for the
# calls that the page shows, as strictly as TypeScript can, and refuses wrong
# ones; the example in Python is checked by its compiler.

use strict;
use warnings;
use lib 't/lib';

use Ads::Npm;
use File::Temp qw(tempdir);
use Test::More;

is system('python3', '-W', 'error', '-c', <<'END'), 0, 'Python reads its example';
import pathlib
path = "examples/python/first_ad.py"
compile(pathlib.Path(path).read_text(), path, "exec")
END

my ($npm, $why) = Ads::Npm::install('examples/javascript');
if (!$npm) {
    note $why;
    done_testing();
    exit 0;
}

open my $in, '<', 'docs/api.md' or die "docs/api.md: $!\n";
my $page = do { local $/ = undef; <$in> };
my ($program) = $page =~ /^```ts\n(.*?)^```$/ms;
my ($maker, @words) = $page =~ m{^ {4}npx (openapi-typescript) \S+ (-o) (ads\.d\.ts)$}m;
ok $program && $maker, 'the page has a command and calls' or BAIL_OUT('docs/api.md');

my $dir = tempdir(CLEANUP => 1);
symlink "$npm/node_modules", "$dir/node_modules" or die "symlink: $!\n";

sub write_file
{
    my ($name, $text) = @_;
    open my $out, '>', "$dir/$name" or die "$name: $!\n";
    print $out $text;
    close $out or die "$name: $!\n";
}

my ($status, $said) = Ads::Npm::run('examples/javascript', $maker,
    'docs/openapi.json', $words[0], "$dir/$words[1]");
is $status, 0, 'the command makes types' or diag $said;

# each line after a "@ts-expect-error" must not compile
write_file('package.json', '{"type": "module"}');
write_file('page.ts', $program);
write_file('more.ts', <<'END');
import createClient from "openapi-fetch";
import type { paths } from "./ads.js";

const ads = createClient<paths>({ baseUrl: "http://127.0.0.1" });

await ads.POST("/v1/ads/recommend", { body: { query: "tent" } });
await ads.POST("/v1/campaigns", { body: { name: "Tents", bid: 0.5, budget: { daily: 20 } } });
await ads.POST("/v1/auth/signup", { body: { email: "a@shop.example", password: "long enough" } });
await ads.POST("/v1/auth/api-key", { body: { name: "backend" } });

const imports = await ads.GET("/v1/products/import");
const done: boolean = imports.data?.data[0]?.status === "done";
const report = await ads.GET("/v1/analytics/publisher");
const shown: number | undefined = report.data?.totals.show;
console.log(done, shown);

// @ts-expect-error a query is required
await ads.POST("/v1/ads/recommend", { body: { max_results: 3 } });
// @ts-expect-error no such path
await ads.GET("/v1/adverts");
const { error } = await ads.GET("/v1/balance");
// @ts-expect-error no such code
console.log(error?.code === "no_such_code");
END
($status, $said) = Ads::Npm::output("$npm/node_modules/.bin/tsc", '--noEmit',
    '--strict', '--noUncheckedIndexedAccess', '--module', 'nodenext',
    '--target', 'es2022', '--types', 'node', '--typeRoots',
    "$npm/node_modules/\@types", "$dir/page.ts", "$dir/more.ts");
is $status, 0, 'the calls of the page and more compile, wrong ones do not'
    or diag $said;

done_testing();
