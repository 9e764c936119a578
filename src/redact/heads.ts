// Made from the shapes by `npm run generate`.

/**
 * By shape, in their order: all ways in which its first characters can be written, one after the other, and which may stand
 * in the two places after them, a bit for each code modulo 32.
 */
export const secretHeads: readonly (readonly [heads: string, fourth: number, fifth: number])[] = [
  // anthropic-key
  ["sk-", 2, 16384],
  // openrouter-key
  ["sk-", 32768, 262144],
  // langfuse-key
  ["sk-", 4096, 64],
  // openai-key
  ["sk-", 65536, 262144],
  // openai-key
  ["sk-", 524288, 4194304],
  // openai-key
  ["sk-", 2, 16],
  // openai-key
  ["sk-", 16384, 32768],
  // helicone-key
  ["sk-", 256, 32],
  // google-api-key
  ["AIz", 2, 2281701374],
  // google-hmac-key
  ["GOO", 128, 131072],
  // google-access-token
  ["ya2", 33554432, 16384],
  // google-refresh-token
  ["1//", 65536, 2281701374],
  // google-auth-code
  ["4/0", 2, 2281701374],
  // google-client-secret
  ["GOC", 524288, 65536],
  // firebase-server-key
  ["AAA", 2, 2281701374],
  // aws-access-key-id
  ["ABIAKIASI", 2, 134217726],
  // aws-bedrock-key
  ["ABS", 2048, 134217726],
  // aws-bedrock-key
  ["bed", 262144, 32768],
  // github-token
  ["ghoghpghrghsghu", 2147483648, 134217726],
  // github-token
  ["git", 256, 2097152],
  // gitlab-token
  ["glp", 2, 1048576],
  // gitlab-token
  ["gld", 1048576, 8192],
  // gitlab-token
  ["glr", 1048576, 8192],
  // gitlab-token
  ["glr", 1048576, 262144],
  // gitlab-token
  ["glp", 1048576, 1048576],
  // gitlab-token
  ["glf", 1048576, 8192],
  // gitlab-token
  ["gls", 32768, 2],
  // gitlab-token
  ["glc", 4, 1048576],
  // gitlab-token
  ["gli", 8192, 1048576],
  // gitlab-token
  ["gla", 128, 32],
  // gitlab-token
  ["glo", 2, 524288],
  // gitlab-token
  ["glf", 64, 8],
  // gitlab-token
  ["glw", 1048576, 8192],
  // gitlab-runner-token
  ["GR1", 524288, 1048576],
  // npm-token
  ["npm", 2147483648, 134217726],
  // slack-token
  ["xox", 16, 8192],
  // slack-token
  ["xox", 134217726, 8192],
  // slack-token
  ["xox", 32, 16384],
  // slack-token
  ["xap", 65536, 8192],
  // slack-token
  ["xwf", 65536, 8192],
  // stripe-key
  ["rk_sk_", 4096, 512],
  // stripe-key
  ["rk_sk_", 1048576, 32],
  // stripe-key
  ["rk_sk_", 32768, 262144],
  // webhook-secret
  ["whs", 32, 8],
  // sendgrid-key
  ["SG.", 2281701374, 2281701374],
  // huggingface-token
  ["hf_", 134217726, 134217726],
  // huggingface-token
  ["api", 2147483648, 32768],
  // digitalocean-token
  ["doodopdor", 2147483648, 4194304],
  // pypi-token
  ["pyp", 512, 8192],
  // docker-token
  ["dck", 262144, 2147483648],
  // docker-token
  ["dck", 262144, 2147483648],
  // groq-key
  ["gsk", 2147483648, 134217726],
  // xai-key
  ["xai", 8192, 134217726],
  // perplexity-key
  ["ppl", 16777216, 8192],
  // databricks-token
  ["dap", 512, 67043838],
  // databricks-token
  ["dos", 32, 67043454],
  // databricks-token
  ["dke", 2, 67043454],
  // vault-token
  ["hvbhvrhvs", 16384, 2281701374],
  // age-secret-key
  ["AGE", 8192, 524288],
  // age-secret-key
  ["AGE", 8192, 524288],
  // replicate-token
  ["r8_", 134217726, 134217726],
  // nvidia-key
  ["nva", 65536, 512],
  // tavily-key
  ["tvl", 33554432, 8192],
  // fireworks-key
  ["fw_", 134217726, 134217726],
  // cerebras-key
  ["csk", 8192, 134217726],
  // langsmith-key
  ["lsv", 262144, 2147483648],
  // langsmith-key
  ["lsv", 262144, 2147483648],
  // pinecone-key
  ["pcs", 2048, 2147483648],
  // together-key
  ["tgp", 2147483648, 4194304],
  // jina-key
  ["jin", 2, 2147483648],
  // llamacloud-key
  ["llx", 8192, 134217726],
  // firecrawl-key
  ["fc-", 67043454, 67043454],
  // e2b-key
  ["e2b", 2147483648, 67043454],
  // daytona-key
  ["dtn", 2147483648, 67043454],
  // mem0-key
  ["m0-", 134217726, 134217726],
  // anyscale-key
  ["ese", 8, 262144],
  // runpod-key
  ["rpa", 2147483648, 134217726],
  // browserbase-key
  ["bb_", 4096, 512],
  // apify-token
  ["api", 64, 33554432],
  // cursor-key
  ["crs", 262144, 2147483648],
  // cursor-key
  ["key", 2147483648, 67043454],
  // amp-token
  ["sga", 8192, 65536],
  // alibaba-key
  ["LTA", 512, 134217726],
  // tencent-key
  ["AKI", 16, 134217726],
  // volcengine-key
  ["AKL", 1048576, 2281701374],
  // yandex-key
  ["AQV", 16384, 2281701374],
  // yandex-key
  ["y0_", 2281701374, 2281701374],
  // shopify-token
  ["shp", 134217726, 134217726],
  // shopify-token
  ["shp", 1048576, 2048],
  // linear-key
  ["lin", 2147483648, 2],
  // linear-key
  ["lin", 2147483648, 32768],
  // linear-key
  ["lin", 2147483648, 8388608],
  // notion-token
  ["ntn", 2147483648, 134217726],
  // notion-token
  ["sec", 262144, 32],
  // figma-token
  ["fig", 2392080, 2147483648],
  // postman-key
  ["PMA", 2048, 8192],
  // newrelic-key
  ["NRA", 2048, 8192],
  // newrelic-key
  ["NRI", 512, 8192],
  // newrelic-key
  ["NRJ", 524288, 8192],
  // grafana-token
  ["gls", 2, 2147483648],
  // grafana-token
  ["glc", 2147483648, 32],
  // grafana-token
  ["eyJ", 262144, 512],
  // sentry-token
  ["snt", 262144, 33554432],
  // sentry-token
  ["snt", 262144, 33554432],
  // atlassian-token
  ["ATAATC", 1048576, 1048576],
  // bitbucket-token
  ["ATB", 4, 134217726],
  // trello-token
  ["ATT", 2, 134217726],
  // supabase-key
  ["sbp", 2147483648, 67043454],
  // supabase-key
  ["sbp", 2147483648, 4194304],
  // supabase-key
  ["sb_", 524288, 32],
  // planetscale-token
  ["psc", 2, 4096],
  // planetscale-token
  ["psc", 2, 4096],
  // planetscale-token
  ["psc", 2, 4096],
  // doppler-token
  ["dp.", 134217726, 134217726],
  // 1password-token
  ["ops", 2147483648, 32],
  // 1password-secret-key
  ["A3-", 134217726, 134217726],
  // tailscale-key
  ["tsk", 32, 33554432],
  // rubygems-key
  ["rub", 33554432, 128],
  // nuget-key
  ["oy2", 134217726, 134217726],
  // clojars-token
  ["CLO", 1024, 2],
  // jsr-token
  ["jsr", 1114112, 2147483648],
  // deno-token
  ["ddoddp", 2147483648, 134217726],
  // jfrog-token
  ["AKC", 65536, 134217726],
  // jfrog-token
  ["cmV", 8192, 16],
  // pulumi-token
  ["pul", 8192, 67043454],
  // square-token
  ["sq0", 134217726, 134217726],
  // airtable-token
  ["pat", 134217726, 134217726],
  // circleci-token
  ["CCI", 65536, 2],
  // circleci-token
  ["CCI", 65536, 262144],
  // buildkite-token
  ["bkabkbbkcbkdbkebkfbkgbkhbkibkjbkkbklbkmbknbkobkpbkqbkrbksbktbkubkvbkwbkxbkybkz", 134217726, 2147483648],
  // harness-token
  ["patsat", 16384, 2281701374],
  // octopus-key
  ["API", 8192, 134217726],
  // sonar-token
  ["sqasqpsqu", 2147483648, 67043454],
  // sourcegraph-token
  ["sgp", 2147483648, 2281701374],
  // sourcegraph-token
  ["slk", 2147483648, 67043454],
  // socket-key
  ["skt", 524288, 32],
  // infracost-key
  ["ico", 8192, 134217726],
  // fly-token
  ["fm2", 2147483648, 2818572286],
  // fly-token
  ["fm1", 262146, 2147483648],
  // fly-token
  ["fo1", 2147483648, 2281701374],
  // cloudflare-origin-ca-key
  ["v1.", 65536, 8192],
  // cloudflare-token
  ["cfacfu", 1048576, 2147483648],
  // cloudflare-token
  ["cfk", 2147483648, 2281701374],
  // heroku-key
  ["HRK", 2097152, 8192],
  // netlify-token
  ["nfbnfcnfonfpnfu", 2147483648, 134217726],
  // render-key
  ["rnd", 2147483648, 134217726],
  // vercel-token
  ["vcavccvcivckvcpvcr", 2147483648, 134217726],
  // upcloud-token
  ["uca", 1048576, 2147483648],
  // scalingo-token
  ["tk-", 2097152, 524288],
  // aiven-password
  ["AVN", 524288, 2147483648],
  // xata-key
  ["xau", 2147483648, 134217726],
  // cockroach-key
  ["CCD", 4, 131072],
  // mongodb-atlas-secret
  ["mdb", 2147483648, 524288],
  // prefect-key
  ["pnbpnu", 2147483648, 134217726],
  // dynatrace-token
  ["dt0", 134217726, 67043328],
  // datadog-key
  ["dda", 65536, 65536],
  // honeycomb-key
  ["hcahcbhcchcdhcehcfhcghchhcihcjhckhclhcmhcnhcohcphcqhcrhcshcthcuhcvhcwhcxhcyhcz", 512, 2048],
  // honeycomb-key
  ["hcahcbhcchcdhcehcfhcghchhcihcjhckhclhcmhcnhcohcphcqhcrhcshcthcuhcvhcwhcxhcyhcz", 8192, 2048],
  // axiom-token
  ["xaaxap", 1048576, 8192],
  // posthog-key
  ["phcphrphsphx", 2147483648, 134217726],
  // launchdarkly-key
  ["sdk", 8192, 67043454],
  // devcycle-key
  ["dvc", 2147483648, 134217726],
  // statsig-key
  ["sec", 262144, 32],
  // stytch-secret
  ["sec", 262144, 32],
  // stytch-secret
  ["sec", 262144, 32],
  // secret-token
  ["sec", 262144, 32],
  // unkey-key
  ["unk", 32, 33554432],
  // zuplo-key
  ["zpk", 2, 2147483648],
  // brevo-key
  ["xke", 33554432, 524288],
  // brevo-key
  ["xsm", 1048576, 65536],
  // mailersend-token
  ["mls", 16384, 16384],
  // resend-key
  ["re_", 134217726, 134217726],
  // hubspot-token
  ["pat", 8192, 134217726],
  // salesforce-token
  ["00D", 134217726, 134217726],
  // typeform-token
  ["tfp", 2147483648, 2818572286],
  // contentful-token
  ["CFP", 2, 1048576],
  // readme-key
  ["rdm", 32, 2147483648],
  // frameio-token
  ["fio", 8192, 2097152],
  // dropbox-token
  ["sl.", 2281701374, 2281701374],
  // dropbox-token
  ["sl.", 2097152, 16384],
  // mapbox-token
  ["pk.sk.tk.", 32, 33554432],
  // tinybird-token
  ["p.e", 33554432, 1024],
  // pinterest-token
  ["pin", 2, 2147483648],
  // adobe-secret
  ["p8e", 8192, 134217726],
  // adafruit-key
  ["aio", 2147483648, 134217726],
  // easypost-key
  ["EZAEZT", 2048, 134217726],
  // shippo-token
  ["shi", 65536, 65536],
  // duffel-token
  ["duf", 64, 32],
  // flutterwave-key
  ["FLW", 524288, 32],
  // flutterwave-key
  ["FLW", 524288, 32],
  // paddle-key
  ["pdl", 2147483648, 134217726],
  // plaid-token
  ["acc", 32, 524288],
  // plaid-token
  ["acc", 32, 524288],
  // plaid-token
  ["acc", 32, 524288],
  // braintree-token
  ["acc", 32, 524288],
  // braintree-token
  ["acc", 32, 524288],
  // polar-token
  ["pol", 2, 262144],
  // razorpay-key
  ["rzp", 2147483648, 4096],
  // razorpay-key
  ["rzp", 2147483648, 1048576],
  // live-key
  ["liv", 32, 2147483648],
  // telnyx-key
  ["KEY", 67043454, 67043454],
  // inngest-key
  ["sig", 16384, 2048],
  // trigger-key
  ["tr_", 16, 32],
  // trigger-key
  ["tr_", 65536, 262144],
  // trigger-key
  ["tr_", 65536, 2],
  // wakatime-key
  ["wak", 2, 2147483648],
  // wakatime-key
  ["wak", 2, 2147483648],
  // wakatime-key
  ["wak", 2, 2147483648],
  // intra42-secret
  ["s-s", 1048576, 1048576],
  // defined-networking-key
  ["dnk", 32, 33554432],
  // settlemint-token
  ["sm_", 589826, 2],
  // exoscale-key
  ["EXO", 67043454, 67043454],
  // linkedin-secret
  ["WPL", 2147483648, 2],
  // openai-session
  ["ses", 524288, 8192],
  // qianfan-key
  ["bce", 8192, 4194304],
  // cartesia-key
  ["sk_", 8, 2],
  // friendli-token
  ["flp", 2147483648, 134217726],
  // turbopuffer-key
  ["tpu", 64, 2147483648],
  // browser-use-key
  ["bu_", 2281701374, 2281701374],
  // scrapfly-key
  ["scp", 8192, 4096],
  // scrapfly-key
  ["scp", 8192, 1048576],
  // netbird-token
  ["nbp", 2147483648, 134217726],
  // depot-token
  ["dep", 32768, 1048576],
  // checkly-key
  ["cu_", 67043454, 67043454],
  // bitbucket-server-token
  ["BBD", 8, 8192],
  // akamai-token
  ["aka", 4, 8192],
  // jetbrains-token
  ["per", 8192, 67117056],
  // openai-key
  ["sk-", 134217726, 134217726],
  // github-token
  ["ghs", 2147483648, 67043328],
  // elevenlabs-key
  ["sk_", 67043454, 67043454],
  // twilio-key
  ["SK0SK1SK2SK3SK4SK5SK6SK7SK8SK9SKaSKbSKcSKdSKeSKf", 67043454, 67043454],
  // mailgun-key
  ["key", 8192, 67043454],
  // brave-key
  ["BSA", 2281701374, 2281701374],
  // clickhouse-key
  ["4b1", 16, 134217726],
  // crates-token
  ["cio", 134217726, 134217726],
  // modal-token
  ["ak-as-", 134217726, 134217726],
  // square-token
  ["EAA", 2, 2281701374],
  // facebook-token
  ["EAA", 134217726, 134217726],
  // twitter-token
  ["AAA", 2, 2],
  // voyage-key
  ["pa-", 2281701374, 2281701374],
  // backblaze-key
  ["K00", 67043328, 134217726],
  // gemini-key
  ["AQ.", 2, 4],
  // instagram-token
  ["IGAIGQ", 134217726, 134217726],
  // threads-token
  ["THA", 2, 134217726],
  // brave-key
  ["BSA", 2281701374, 2281701374],
  // clickhouse-key
  ["4b1", 16, 134217726],
  // crates-token
  ["cio", 134217726, 134217726],
  // modal-token
  ["ak-as-", 134217726, 134217726],
  // square-token
  ["EAA", 2, 2281701374],
  // facebook-token
  ["EAA", 134217726, 134217726],
  // twitter-token
  ["AAA", 2, 2],
  // voyage-key
  ["pa-", 2281701374, 2281701374],
  // backblaze-key
  ["K00", 67043328, 134217726],
  // gemini-key
  ["AQ.", 2, 4],
  // instagram-token
  ["IGAIGQ", 134217726, 134217726],
  // threads-token
  ["THA", 2, 134217726],
  // google-hmac-key
  ["GOO", 128, 134217726],
  // discord-token
  ["mfa", 16384, 2281701374],
  // neon-key
  ["api", 2147483648, 134217726],
  // openshift-token
  ["256", 1073741824, 2281701374],
  // wandb-key
  ["db_", 4194304, 131072],
  // vercel-token
  ["_bl", 32768, 4],
  // vault-token
  ["s.0s.1s.2s.3s.4s.5s.6s.7s.8s.9s.As.Bs.Cs.Ds.Es.Fs.Gs.Hs.Is.Js.Ks.Ls.Ms.Ns.Os.Ps.Qs.Rs.Ss.Ts.Us.Vs.Ws.Xs.Ys.Zs.as.bs.cs.ds.es.fs.gs.hs.is.js.ks.ls.ms.ns.os.ps.qs.rs.ss.ts.us.vs.ws.xs.ys.z", 134217726, 134217726],
  // intercom-token
  ["dG9", 262144, 32768],
  // mailchimp-key
  ["", 67043454, 67043454],
  // mailchimp-key
  ["-us", 67043328, 4294967295],
  // private-key
  ["---", 8192, 8192],
  // azure-key
  ["", 134217726, 134217726],
  // azure-key
  ["AZD", 32768, 4294967295],
  // azure-key
  ["JQQ", 1024, 33554432],
  // azure-key
  ["PAT", 603979909, 671088639],
  // asana-token
  ["1/01/11/21/31/41/51/61/71/81/92/02/12/22/32/42/52/62/72/82/9", 67043328, 67043328],
  // facebook-app-token
  ["00|01|02|03|04|05|06|07|08|09|10|11|12|13|14|15|16|17|18|19|20|21|22|23|24|25|26|27|28|29|30|31|32|33|34|35|36|37|38|39|40|41|42|43|44|45|46|47|48|49|50|51|52|53|54|55|56|57|58|59|60|61|62|63|64|65|66|67|68|69|70|71|72|73|74|75|76|77|78|79|80|81|82|83|84|85|86|87|88|89|90|91|92|93|94|95|96|97|98|99|", 2281701374, 2281701374],
  // jwt
  ["eyJ", 2281701374, 2281701374],
  // jwt
  ["eyJ", 2281701374, 2281701374],
  // jwe
  ["eyJ", 2281701374, 2281701374],
  // discord-token
  ["MDAMDEMDIMDMMDQMDUMDYMDcMDgMDkMTAMTEMTIMTMMTQMTUMTYMTcMTgMTkMjAMjEMjIMjMMjQMjUMjYMjcMjgMjkMzAMzEMzIMzMMzQMzUMzYMzcMzgMzkNDANDENDINDMNDQNDUNDYNDcNDgNDkNTANTENTINTMNTQNTUNTYNTcNTgNTkNjANjENjINjMNjQNjUNjYNjcNjgNjkNzANzENzINzMNzQNzUNzYNzcNzgNzkODAODEODIODMODQODUODYODcODgODkOTAOTEOTIOTMOTQOTUOTYOTcOTgOTkOjAOjEOjIOjMOjQOjUOjYOjcOjgOjkOzAOzEOzIOzMOzQOzUOzYOzcOzgOzk", 2281701374, 2281701374],
  // private-key
  ["---", 8192, 8192],
  // private-key
  ["Pri", 4194304, 2],
  // private-key
  ["MII", 134217726, 134217726],
  // private-key
  ["MII", 134217726, 134217726],
  // private-key
  ["MIG", 134217726, 2],
  // private-key
  ["MIH", 2097152, 2],
  // private-key
  ["MIGMIH", 134217726, 2],
  // private-key
  ["MHQMHc", 8, 2],
  // private-key
  ["MC4", 8, 2],
  // private-key
  ["b3B", 4096, 4],
  // private-key
  ["LS0", 1048576, 4096],
  // private-key
  ["cli", 32, 16384],
  // telegram-bot-token
  [":AA", 2281701374, 2281701374],
  // azure-client-secret
  ["0Q~1Q~2Q~3Q~4Q~5Q~6Q~7Q~8Q~9Q~", 3355443198, 3355443198],
  // terraform-token
  [".at", 4096, 2],
  // azure-storage-key
  ["Acc", 32768, 2097152],
  // azure-shared-access-key
  ["Sha", 262144, 32],
  // jwk-private
  ["\"d\\\"d\"", 335544837, 335544837],
  // jwk-private
  ["\"p\\\"p\"", 335544837, 335544837],
  // jwk-private
  ["\"q\\\"q\"", 335544837, 335544837],
  // jwk-private
  ["\"dp", 268435460, 335544837],
  // jwk-private
  ["\"dq", 268435460, 335544837],
  // jwk-private
  ["\"qi", 268435460, 335544837],
  // jwk-private
  ["\"k\\\"k\"", 335544837, 335544837],
  // jwk-private
  ["d: ", 2281701374, 2281701374],
  // jwk-private
  ["p: ", 2281701374, 2281701374],
  // jwk-private
  ["q: ", 2281701374, 2281701374],
  // jwk-private
  ["dp:", 1, 2281701374],
  // jwk-private
  ["dq:", 1, 2281701374],
  // jwk-private
  ["qi:", 1, 2281701374],
  // jwk-private
  ["k: ", 2281701374, 2281701374],
  // azure-sas
  ["&si;si?si", 128, 536870912],
  // azure-sas
  ["Sha", 262144, 32],
  // slack-webhook
  ["hoo", 2048, 524288],
  // discord-webhook
  ["dis", 8, 32768],
  // discordapp-webhook
  ["dis", 8, 32768],
  // teams-webhook
  ["/we", 4, 256],
  // zapier-webhook
  ["hoo", 2048, 524288],
  // ifttt-webhook
  ["mak", 32, 262144],
  // make-webhook
  ["hoo", 2048, 16384],
  // feishu-webhook
  ["/v2", 32768, 256],
  // wecom-webhook
  ["qya", 65536, 512],
  // webhook-url
  ["/ho", 32768, 2048],
  // aws-secret-key
  ["SECSEcSeCSecsECsEcseCsec", 262144, 32],
  // aws-session-token
  ["TOKTOkToKToktOKtOktoKtok", 32, 16384],
  // bearer-token
  ["BEABEaBeABeabEAbEabeAbea", 262144, 32],
  // basic-auth
  ["BASBAsBaSBasbASbAsbaSbas", 512, 8],
  // authorization
  ["ZATZAtZaTZatzATzAtzaTzat", 512, 32768],
  // basic-auth
  ["AUTAUtAuTAutaUTaUtauTaut", 256, 872415877],
  // assigned-secret
  [":_p", 2, 524288],
  // request-signature
  ["X-AX-ax-Ax-a", 8192, 67108864],
  // request-signature
  ["X-AX-ax-Ax-a", 8192, 67108864],
  // request-signature
  ["X-GX-gx-Gx-g", 32768, 32768],
  // request-signature
  ["X-OX-ox-Ox-o", 524288, 524288],
  // request-signature
  ["X-OX-ox-Ox-o", 524288, 524288],
  // request-signature
  ["X-CX-cx-Cx-c", 32768, 524288],
  // request-signature
  ["&Si?Si", 128, 16384],
  // request-signature
  [" Si,Si", 128, 16384],
  // cookie
  ["SETSEtSeTSetsETsEtseTset", 8192, 8],
  // cookie
  ["COOCOoCoOCoocOOcOocoOcoo", 2048, 512],
  // cookie
  ["coo", 2048, 512],
  // url-secret
  ["&KE&Ke&kE&ke;KE;Ke;kE;ke?KE?Ke?kE?ke", 33554432, 536870912],
  // url-secret
  ["&AU&Au&aU&au;AU;Au;aU;au?AU?Au?aU?au", 1048576, 256],
  // url-secret
  ["&CO&Co&cO&co;CO;Co;cO;co?CO?Co?cO?co", 16, 32],
  // url-secret
  ["&SI&Si&sI&si;SI;Si;sI;si?SI?Si?sI?si", 128, 536870912],
  // url-secret
  ["&SI&Si&sI&si;SI;Si;sI;si?SI?Si?sI?si", 128, 16384],
  // url-secret
  ["&SI&Si&sI&si;SI;Si;sI;si?SI?Si?sI?si", 128, 16384],
  // url-secret
  ["&PA&Pa&pA&pa;PA;Pa;pA;pa?PA?Pa?pA?pa", 524288, 524288],
  // url-secret
  ["&PW&Pw&pW&pw;PW;Pw;pW;pw?PW?Pw?pW?pw", 536870912, 3892314110],
  // url-secret
  ["&HM&Hm&hM&hm;HM;Hm;hM;hm?HM?Hm?hM?hm", 2, 8],
  // url-secret
  ["&HA&Ha&hA&ha;HA;Ha;hA;ha?HA?Ha?hA?ha", 524288, 256],
  // url-secret
  ["&JW&Jw&jW&jw;JW;Jw;jW;jw?JW?Jw?jW?jw", 1048576, 536870912],
  // url-secret
  ["&SI&Si&sI&si;SI;Si;sI;si?SI?Si?sI?si", 16, 536870912],
  // url-secret
  ["&SE&Se&sE&se;SE;Se;sE;se?SE?Se?sE?se", 524288, 524288],
  // url-secret
  ["&SE&Se&sE&se;SE;Se;sE;se?SE?Se?sE?se", 524288, 524288],
  // url-secret
  ["&TI&Ti&tI&ti;TI;Ti;tI;ti?TI?Ti?tI?ti", 8, 2048],
  // url-secret
  ["&OT&Ot&oT&ot;OT;Ot;oT;ot?OT?Ot?oT?ot", 65536, 536870912],
  // url-secret
  ["&AS&As&aS&as;AS;As;aS;as?AS?As?aS?as", 524288, 32],
  // url-secret
  ["&CO&Co&cO&co;CO;Co;cO;co?CO?Co?cO?co", 16, 32],
  // url-secret
  ["&DE&De&dE&de;DE;De;dE;de?DE?De?dE?de", 4194304, 512],
  // url-secret
  ["&AC&Ac&aC&ac;AC;Ac;aC;ac?AC?Ac?aC?ac", 8, 32],
  // url-secret
  ["&SK&Sk&sK&sk;SK;Sk;sK;sk?SK?Sk?sK?sk", 536870912, 3892314110],
  // url-secret
  ["&CR&Cr&cR&cr;CR;Cr;cR;cr?CR?Cr?cR?cr", 32, 16],
  // url-secret
  ["&AU&Au&aU&au;AU;Au;aU;au?AU?Au?aU?au", 1048576, 256],
  // url-secret
  ["&AU&Au&aU&au;AU;Au;aU;au?AU?Au?aU?au", 1048576, 256],
  // url-secret
  ["&SA&Sa&sA&sa;SA;Sa;sA;sa?SA?Sa?sA?sa", 8192, 4096],
  // url-secret
  ["%26%2F%2f%36%3F%3f", 2048, 32],
  // url-secret
  ["U00u00", 262144, 4194304],
  // url-secret
  ["%26%2F%2f%36%3F%3f", 2, 2097152],
  // url-secret
  ["U00u00", 262144, 4194304],
  // url-secret
  ["%26%2F%2f%36%3F%3f", 8, 32768],
  // url-secret
  ["U00u00", 262144, 4194304],
  // url-secret
  ["%26%2F%2f%36%3F%3f", 524288, 512],
  // url-secret
  ["U00u00", 262144, 4194304],
  // url-secret
  ["%26%2F%2f%36%3F%3f", 524288, 512],
  // url-secret
  ["U00u00", 262144, 4194304],
  // url-secret
  ["%26%2F%2f%36%3F%3f", 524288, 512],
  // url-secret
  ["U00u00", 262144, 4194304],
  // url-secret
  ["%26%2F%2f%36%3F%3f", 65536, 2],
  // url-secret
  ["U00u00", 262144, 4194304],
  // url-secret
  ["%26%2F%2f%36%3F%3f", 65536, 8388608],
  // url-secret
  ["U00u00", 262144, 4194304],
  // url-secret
  ["%26%2F%2f%36%3F%3f", 256, 8192],
  // url-secret
  ["U00u00", 262144, 4194304],
  // url-secret
  ["%26%2F%2f%36%3F%3f", 256, 2],
  // url-secret
  ["U00u00", 262144, 4194304],
  // url-secret
  ["%26%2F%2f%36%3F%3f", 1024, 8388608],
  // url-secret
  ["U00u00", 262144, 4194304],
  // url-secret
  ["%26%2F%2f%36%3F%3f", 524288, 512],
  // url-secret
  ["U00u00", 262144, 4194304],
  // url-secret
  ["%26%2F%2f%36%3F%3f", 524288, 32],
  // url-secret
  ["U00u00", 262144, 4194304],
  // url-secret
  ["%26%2F%2f%36%3F%3f", 524288, 32],
  // url-secret
  ["U00u00", 262144, 4194304],
  // url-secret
  ["%26%2F%2f%36%3F%3f", 1048576, 512],
  // url-secret
  ["U00u00", 262144, 4194304],
  // url-secret
  ["%26%2F%2f%36%3F%3f", 32768, 1048576],
  // url-secret
  ["U00u00", 262144, 4194304],
  // url-secret
  ["%26%2F%2f%36%3F%3f", 2, 524288],
  // url-secret
  ["U00u00", 262144, 4194304],
  // url-secret
  ["%26%2F%2f%36%3F%3f", 8, 32768],
  // url-secret
  ["U00u00", 262144, 4194304],
  // url-secret
  ["%26%2F%2f%36%3F%3f", 16, 32],
  // url-secret
  ["U00u00", 262144, 4194304],
  // url-secret
  ["%26%2F%2f%36%3F%3f", 2, 8],
  // url-secret
  ["U00u00", 262144, 4194304],
  // url-secret
  ["%26%2F%2f%36%3F%3f", 524288, 2048],
  // url-secret
  ["U00u00", 262144, 4194304],
  // url-secret
  ["%26%2F%2f%36%3F%3f", 8, 262144],
  // url-secret
  ["U00u00", 262144, 4194304],
  // url-secret
  ["%26%2F%2f%36%3F%3f", 2, 2097152],
  // url-secret
  ["U00u00", 262144, 4194304],
  // url-secret
  ["%26%2F%2f%36%3F%3f", 2, 2097152],
  // url-secret
  ["U00u00", 262144, 4194304],
  // url-secret
  ["%26%2F%2f%36%3F%3f", 524288, 2],
  // url-secret
  ["U00u00", 262144, 4194304],
  // kubernetes-secret
  ["kin", 16, 67108864],
  // kubernetes-secret
  ["\"ki", 16384, 16],
  // kubernetes-secret
  ["api", 4194304, 32],
  // kubernetes-secret
  ["\"da", 1048576, 2],
  // kubernetes-secret
  ["\"da", 1048576, 2],
  // netrc-password
  ["mac", 256, 512],
  // flag-password
  ["-u\t-u -u\"-u'-u%-u+-u--u.-u0-u1-u2-u3-u4-u5-u6-u7-u8-u9-u@-uA-uB-uC-uD-uE-uF-uG-uH-uI-uJ-uK-uL-uM-uN-uO-uP-uQ-uR-uS-uT-uU-uV-uW-uX-uY-uZ-u_-ua-ub-uc-ud-ue-uf-ug-uh-ui-uj-uk-ul-um-un-uo-up-uq-ur-us-ut-uu-uv-uw-ux-uy-uz", 2281701375, 4294967295],
  // flag-password
  ["-u\t-u ", 2281701375, 2281701375],
  // flag-password
  ["-us", 32, 262144],
  // flag-password
  ["-u\t-u ", 2281701375, 2281701375],
  // flag-password
  ["-pa", 524288, 524288],
  // flag-password
  ["-pa", 524288, 524288],
  // flag-password
  ["-pa", 524288, 524288],
  // flag-password
  ["-pa", 524288, 524288],
  // flag-password
  ["-pa", 524288, 524288],
  // flag-password
  ["-Pa", 524288, 524288],
  // flag-password
  ["-pa", 524288, 524288],
  // flag-password
  ["-pa", 524288, 524288],
  // flag-password
  ["-st", 32768, 262144],
  // flag-password
  ["-ke", 33554432, 65536],
  // flag-password
  ["-de", 524288, 1048576],
  // flag-password
  ["-sr", 8, 524288],
  // flag-password
  ["-p -p\"-p'-p!-p#-p$-p%-p&-p*-p+-p.-p0-p1-p2-p3-p4-p5-p6-p7-p8-p9-p=-p@-pA-pB-pC-pD-pE-pF-pG-pH-pI-pJ-pK-pL-pM-pN-pO-pP-pQ-pR-pS-pT-pU-pV-pW-pX-pY-pZ-p^-p_-pa-pb-pc-pd-pe-pf-pg-ph-pi-pj-pk-pl-pm-pn-po-pp-pq-pr-ps-pt-pu-pv-pw-px-py-pz", 4294967295, 4294967295],
  // flag-password
  ["-a ", 3892314111, 4294967295],
  // flag-password
  ["-k ", 3892314111, 4294967295],
  // flag-password
  ["-w ", 3892314111, 4294967295],
  // flag-password
  ["-P -P\"-P'-P!-P#-P$-P%-P&-P*-P+-P.-P0-P1-P2-P3-P4-P5-P6-P7-P8-P9-P=-P@-PA-PB-PC-PD-PE-PF-PG-PH-PI-PJ-PK-PL-PM-PN-PO-PP-PQ-PR-PS-PT-PU-PV-PW-PX-PY-PZ-P^-P_-Pa-Pb-Pc-Pd-Pe-Pf-Pg-Ph-Pi-Pj-Pk-Pl-Pm-Pn-Po-Pp-Pq-Pr-Ps-Pt-Pu-Pv-Pw-Px-Py-Pz", 4294967295, 4294967295],
  // flag-password
  ["-A -X ", 3892314111, 4294967295],
  // flag-password
  ["pas", 524288, 67108864],
  // flag-password
  ["-U\t-U -U=-U\"-U'-U+-U--U.-U/-U0-U1-U2-U3-U4-U5-U6-U7-U8-U9-U@-UA-UB-UC-UD-UE-UF-UG-UH-UI-UJ-UK-UL-UM-UN-UO-UP-UQ-UR-US-UT-UU-UV-UW-UX-UY-UZ-U\\-U_-Ua-Ub-Uc-Ud-Ue-Uf-Ug-Uh-Ui-Uj-Uk-Ul-Um-Un-Uo-Up-Uq-Ur-Us-Ut-Uu-Uv-Uw-Ux-Uy-Uz", 3087007743, 4294967295],
  // flag-password
  ["-us", 32, 262144],
  // pgpass-password
  [":54:64", 524288, 67043328],
  // pgpass-password
  [":*:", 4294967295, 4294967295],
  // wifi-password
  ["psk", 536871425, 805307013],
  // wifi-password
  ["wpa", 2147483648, 65536],
  // wifi-password
  ["psk", 536871425, 4294967295],
  // password-hash
  ["$5$$6$", 134217726, 134217726],
  // password-hash
  ["$5$$6$", 262144, 32768],
  // password-hash
  ["$1$", 134217726, 134217726],
  // password-hash
  ["$ap", 262144, 131072],
  // password-hash
  ["$gy$y$", 134217726, 134217726],
  // password-hash
  ["$2a$2b$2x$2y", 16, 67043328],
  // password-hash
  ["$ar", 128, 32768],
  // password-hash
  ["$sc", 262144, 33554432],
  // password-hash
  ["$pb", 2048, 16],
  // password-hash
  ["pbk", 16, 64],
  // password-hash
  ["{SS", 256, 2],
  // password-hash
  ["aad", 524288, 4],
  // assigned-secret
  ["fro", 8192, 8192],
  // assigned-secret
  ["_pa", 524288, 524288],
  // assigned-secret
  ["_pa", 524288, 524288],
  // assigned-secret
  ["ROOROoRoORoorOOrOoroOroo", 1048576, 65536],
  // assigned-secret
  ["roo", 1048576, 65536],
  // assigned-secret
  ["roo", 1048576, 65536],
  // assigned-secret
  ["USEUSeUsEUseuSEuSeusEuse", 262144, 65536],
  // assigned-secret
  ["use", 262144, 65536],
  // assigned-secret
  ["use", 262144, 65536],
  // assigned-secret
  ["ADMADmAdMAdmaDMaDmadMadm", 512, 16384],
  // assigned-secret
  ["adm", 512, 16384],
  // assigned-secret
  ["adm", 512, 16384],
  // assigned-secret
  ["BINBInBiNBinbINbInbiNbin", 16, 65536],
  // assigned-secret
  ["bin", 16, 65536],
  // assigned-secret
  ["bin", 16, 65536],
  // assigned-secret
  ["DBPDBpDbPDbpdBPdBpdbPdbp", 8388608, 872415877],
  // assigned-secret
  ["dbp", 8388608, 513],
  // assigned-secret
  ["dbp", 8388608, 513],
  // assigned-secret
  ["SSHSShSsHSshsSHsShssHssh", 65536, 8388608],
  // assigned-secret
  ["ssh", 65536, 8388608],
  // assigned-secret
  ["ssh", 65536, 8388608],
  // assigned-secret
  ["PAS", 524288, 8388608],
  // assigned-secret
  ["PAS", 524288, 8388608],
  // assigned-secret
  ["_PA", 524288, 524288],
  // assigned-secret
  ["_PW", 16, 872415877],
  // assigned-secret
  ["PAS", 524288, 65536],
  // assigned-secret
  ["_PW", 872415877, 4294967295],
  // assigned-secret
  ["SSH", 65536, 2],
  // assigned-secret
  ["_pa", 524288, 524288],
  // assigned-secret
  ["_pa", 524288, 524288],
  // assigned-secret
  ["_pa", 524288, 524288],
  // assigned-secret
  ["_pw", 16, 872415877],
  // assigned-secret
  ["_pa", 524288, 524288],
  // assigned-secret
  ["_pw", 872415877, 4294967295],
  // assigned-secret
  ["_SE", 8, 262144],
  // assigned-secret
  ["PASPAsPaSPaspASpAspaSpas", 524288, 8388608],
  // assigned-secret
  ["PASPAsPaSPaspASpAspaSpas", 524288, 8388608],
  // assigned-secret
  ["PASPAsPaSPaspASpAspaSpas", 524288, 65536],
  // assigned-secret
  ["PWDPWdPwDPwdpWDpWdpwDpwd", 872415877, 4294967295],
  // assigned-secret
  ["PASPAsPaSPaspASpAspaSpas", 524288, 8388608],
  // assigned-secret
  ["PASPAsPaSPaspASpAspaSpas", 524288, 8388608],
  // assigned-secret
  ["PASPAsPaSPaspASpAspaSpas", 524288, 8388608],
  // assigned-secret
  ["PASPAsPaSPaspASpAspaSpas", 524288, 8388608],
  // assigned-secret
  ["PASPAsPaSPaspASpAspaSpas", 524288, 8388608],
  // assigned-secret
  ["PASPAsPaSPaspASpAspaSpas", 524288, 8388608],
  // assigned-secret
  ["PASPAsPaSPaspASpAspaSpas", 524288, 65536],
  // assigned-secret
  ["PASPAsPaSPaspASpAspaSpas", 524288, 65536],
  // assigned-secret
  ["PASPAsPaSPaspASpAspaSpas", 524288, 65536],
  // assigned-secret
  ["PWDPWdPwDPwdpWDpWdpwDpwd", 513, 4294967295],
  // assigned-secret
  ["PWDPWdPwDPwdpWDpWdpwDpwd", 1073741824, 4294967295],
  // assigned-secret
  ["PWDPWdPwDPwdpWDpWdpwDpwd", 32, 524288],
  // assigned-secret
  [",PA,Pa,pA,pa;PA;Pa;pA;pa", 524288, 524288],
  // assigned-secret
  [",PW,Pw,pW,pw;PW;Pw;pW;pw", 16, 536870912],
  // assigned-secret
  ["\"]\t\"] \"]:\"]?\"]|\"]=']\t'] ']:']?']|']=", 4294967295, 4294967295],
  // assigned-secret
  ["VALVAlVaLValvALvAlvaLval", 2097152, 32],
  // assigned-secret
  ["</K</k", 32, 33554432],
  // assigned-secret
  ["]\t\t]\t ]\t:]\t?]\t|]\t=] \t]  ] :] ?] |] =", 4294967295, 4294967295],
  // url-password
  ["://", 4294967295, 4294967295],
  // url-token
  ["://", 2281701374, 2281701374],
  // assigned-secret
  ["SECSEcSeCSecsECsEcseCsec", 262144, 32],
  // assigned-secret
  ["CRECReCrECrecREcRecrEcre", 16, 32],
  // assigned-secret
  ["CRECReCrECrecREcRecrEcre", 16, 32],
  // assigned-secret
  ["\"]\t\"] \"]:\"]?\"]|\"]=']\t'] ']:']?']|']=", 4160749567, 4160749567],
  // assigned-secret
  ["VALVAlVaLValvALvAlvaLval", 2097152, 32],
  // assigned-secret
  ["</K</k", 32, 33554432],
  // assigned-secret
  ["]\t\t]\t ]\t:]\t?]\t|]\t=] \t]  ] :] ?] |] =", 4160749567, 4160749567],
  // assigned-secret
  ["ZATZAtZaTZatzATzAtzaTzat", 512, 32768],
  // assigned-secret
  ["KEYKEyKeYKeykEYkEykeYkey", 1946163077, 4160749567],
  // assigned-secret
  ["TOKTOkToKToktOKtOktoKtok", 32, 16384],
  // assigned-secret
  ["TOKTOkToKToktOKtOktoKtok", 32, 16384],
  // assigned-secret
  ["SECSEcSeCSecsECsEcseCsec", 262144, 32],
  // assigned-secret
  ["KEYKEyKeYKeykEYkEykeYkey", 513, 3892314111],
  // assigned-secret
  ["HMA", 8, 1946163077],
  // assigned-secret
  ["SAL", 1048576, 1946163077],
  // assigned-secret
  ["PEP", 65536, 32],
  // assigned-secret
  ["SES", 524288, 512],
  // assigned-secret
  ["SER", 4194304, 512],
  // assigned-secret
  ["TOKTOkToKToktOKtOktoKtok", 32, 16384],
  // assigned-secret
  [".LO.Lo.lO.lo", 128, 512],
  // assigned-secret
  ["PASPAsPaSPaspASpAspaSpas", 524288, 8388608],
  // assigned-secret
  ["PASPAsPaSPaspASpAspaSpas", 524288, 8388608],
  // assigned-secret
  ["PASPAsPaSPaspASpAspaSpas", 524288, 65536],
  // assigned-secret
  ["PWDPWdPwDPwdpWDpWdpwDpwd", 1946163077, 4160749567],
  // assigned-secret
  ["SECSEcSeCSecsECsEcseCsec", 262144, 32],
  // assigned-secret
  ["TOKTOkToKToktOKtOktoKtok", 32, 16384],
  // assigned-secret
  ["PASPAsPaSPaspASpAspaSpas", 524288, 8388608],
  // assigned-secret
  ["PASPAsPaSPaspASpAspaSpas", 524288, 8388608],
  // assigned-secret
  ["PASPAsPaSPaspASpAspaSpas", 524288, 65536],
  // assigned-secret
  ["PWDPWdPwDPwdpWDpWdpwDpwd", 513, 4294967295],
  // assigned-secret
  ["KEYKEyKeYKeykEYkEykeYkey", 513, 4294967295],
  // assigned-secret
  ["SECSEcSeCSecsECsEcseCsec", 262144, 32],
  // assigned-secret
  ["TOKTOkToKToktOKtOktoKtok", 32, 16384],
  // assigned-secret
  ["PASPAsPaSPaspASpAspaSpas", 524288, 8388608],
  // assigned-secret
  ["PASPAsPaSPaspASpAspaSpas", 524288, 8388608],
  // assigned-secret
  ["PASPAsPaSPaspASpAspaSpas", 524288, 65536],
  // assigned-secret
  ["PWDPWdPwDPwdpWDpWdpwDpwd", 513, 513],
  // assigned-secret
  ["KEYKEyKeYKeykEYkEykeYkey", 513, 513],
  // assigned-secret
  ["SECSEcSeCSecsECsEcseCsec", 262144, 32],
  // assigned-secret
  ["TOKTOkToKToktOKtOktoKtok", 32, 16384],
  // assigned-secret
  ["PASPAsPaSPaspASpAspaSpas", 524288, 8388608],
  // assigned-secret
  ["PASPAsPaSPaspASpAspaSpas", 524288, 8388608],
  // assigned-secret
  ["PASPAsPaSPaspASpAspaSpas", 524288, 65536],
  // assigned-secret
  ["PWDPWdPwDPwdpWDpWdpwDpwd", 2147483648, 2214593025],
  // assigned-secret
  ["KEYKEyKeYKeykEYkEykeYkey", 2147483648, 2214593025],
  // assigned-secret
  ["SECSEcSeCSecsECsEcseCsec", 262144, 32],
  // assigned-secret
  ["TOKTOkToKToktOKtOktoKtok", 32, 16384],
  // assigned-secret
  ["PASPAsPaSPaspASpAspaSpas", 524288, 8388608],
  // assigned-secret
  ["PASPAsPaSPaspASpAspaSpas", 524288, 8388608],
  // assigned-secret
  ["PASPAsPaSPaspASpAspaSpas", 524288, 65536],
  // assigned-secret
  ["PWDPWdPwDPwdpWDpWdpwDpwd", 335544833, 335577601],
  // assigned-secret
  ["KEYKEyKeYKeykEYkEykeYkey", 335544833, 335577601],
  // assigned-secret
  ["SECSEcSeCSecsECsEcseCsec", 262144, 32],
  // assigned-secret
  ["TOKTOkToKToktOKtOktoKtok", 32, 16384],
  // assigned-secret
  ["PASPAsPaSPaspASpAspaSpas", 524288, 8388608],
  // assigned-secret
  ["PASPAsPaSPaspASpAspaSpas", 524288, 8388608],
  // assigned-secret
  ["PASPAsPaSPaspASpAspaSpas", 524288, 65536],
  // assigned-secret
  ["PWDPWdPwDPwdpWDpWdpwDpwd", 335544833, 335577601],
  // assigned-secret
  ["KEYKEyKeYKeykEYkEykeYkey", 335544833, 335577601],
];
