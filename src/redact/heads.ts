// Made from the shapes by `npm run generate`.

/** By shape, in their order: all ways in which its first characters can be written, one after the other. */
export const secretHeads: readonly string[] = [
  // anthropic-key
  "sk-",
  // openrouter-key
  "sk-",
  // langfuse-key
  "sk-",
  // openai-key
  "sk-",
  // openai-key
  "sk-",
  // openai-key
  "sk-",
  // openai-key
  "sk-",
  // google-api-key
  "AIz",
  // google-access-token
  "ya2",
  // google-refresh-token
  "1//",
  // google-client-secret
  "GOC",
  // aws-access-key-id
  "ABIAKIASI",
  // aws-bedrock-key
  "ABS",
  // github-token
  "ghoghpghrghsghu",
  // github-token
  "git",
  // gitlab-token
  "glp",
  // gitlab-token
  "gld",
  // gitlab-token
  "glr",
  // gitlab-token
  "glr",
  // gitlab-token
  "glp",
  // gitlab-token
  "glf",
  // gitlab-token
  "gls",
  // gitlab-token
  "glc",
  // gitlab-token
  "gli",
  // gitlab-token
  "gla",
  // gitlab-token
  "glo",
  // gitlab-token
  "glf",
  // gitlab-runner-token
  "GR1",
  // npm-token
  "npm",
  // slack-token
  "xox",
  // slack-token
  "xox",
  // slack-token
  "xap",
  // stripe-key
  "rk_sk_",
  // stripe-key
  "rk_sk_",
  // stripe-key
  "rk_sk_",
  // webhook-secret
  "whs",
  // sendgrid-key
  "SG.",
  // huggingface-token
  "hf_",
  // huggingface-token
  "api",
  // digitalocean-token
  "doodopdor",
  // pypi-token
  "pyp",
  // docker-token
  "dck",
  // docker-token
  "dck",
  // groq-key
  "gsk",
  // xai-key
  "xai",
  // perplexity-key
  "ppl",
  // databricks-token
  "dap",
  // vault-token
  "hvbhvrhvs",
  // age-secret-key
  "AGE",
  // age-secret-key
  "AGE",
  // replicate-token
  "r8_",
  // nvidia-key
  "nva",
  // tavily-key
  "tvl",
  // fireworks-key
  "fw_",
  // cerebras-key
  "csk",
  // langsmith-key
  "lsv",
  // langsmith-key
  "lsv",
  // pinecone-key
  "pcs",
  // shopify-token
  "shp",
  // shopify-token
  "shp",
  // shopify-token
  "shp",
  // shopify-token
  "shp",
  // linear-key
  "lin",
  // linear-key
  "lin",
  // notion-token
  "ntn",
  // notion-token
  "sec",
  // figma-token
  "fig",
  // postman-key
  "PMA",
  // newrelic-key
  "NRA",
  // grafana-token
  "gls",
  // grafana-token
  "glc",
  // sentry-token
  "snt",
  // sentry-token
  "snt",
  // atlassian-token
  "ATAATC",
  // supabase-key
  "sbp",
  // supabase-key
  "sb_",
  // planetscale-token
  "psc",
  // planetscale-token
  "psc",
  // doppler-token
  "dp.",
  // doppler-token
  "dp.",
  // doppler-token
  "dp.",
  // 1password-token
  "ops",
  // tailscale-key
  "tsk",
  // rubygems-key
  "rub",
  // pulumi-token
  "pul",
  // square-token
  "sq0",
  // square-token
  "sq0",
  // airtable-token
  "pat",
  // circleci-token
  "CCI",
  // buildkite-token
  "bku",
  // fly-token
  "fm2",
  // openai-key
  "sk-",
  // github-token
  "ghs",
  // elevenlabs-key
  "sk_",
  // twilio-key
  "SK0SK1SK2SK3SK4SK5SK6SK7SK8SK9SKaSKbSKcSKdSKeSKf",
  // mailgun-key
  "key",
  // jwt
  "eyJ",
  // discord-token
  "MDAMDEMDIMDMMDQMDUMDYMDcMDgMDkMTAMTEMTIMTMMTQMTUMTYMTcMTgMTkMjAMjEMjIMjMMjQMjUMjYMjcMjgMjkMzAMzEMzIMzMMzQMzUMzYMzcMzgMzkNDANDENDINDMNDQNDUNDYNDcNDgNDkNTANTENTINTMNTQNTUNTYNTcNTgNTkNjANjENjINjMNjQNjUNjYNjcNjgNjkNzANzENzINzMNzQNzUNzYNzcNzgNzkODAODEODIODMODQODUODYODcODgODkOTAOTEOTIOTMOTQOTUOTYOTcOTgOTkOjAOjEOjIOjMOjQOjUOjYOjcOjgOjkOzAOzEOzIOzMOzQOzUOzYOzcOzgOzk",
  // private-key
  "---",
  // telegram-bot-token
  ":AA",
  // azure-client-secret
  "0Q~1Q~2Q~3Q~4Q~5Q~6Q~7Q~8Q~9Q~",
  // terraform-token
  ".at",
  // azure-storage-key
  "Acc",
  // azure-shared-access-key
  "Sha",
  // azure-sas
  "&si;si?si",
  // azure-sas
  "Sha",
  // slack-webhook
  "hoo",
  // discord-webhook
  "dis",
  // discord-webhook
  "dis",
  // aws-secret-key
  "SECSEcSeCSecsECsEcseCsec",
  // aws-session-token
  "SESSEsSeSSessESsEsseSses",
  // bearer-token
  "BEABEaBeABeabEAbEabeAbea",
  // basic-auth
  "BASBAsBaSBasbASbAsbaSbas",
  // url-password
  "://",
  // url-token
  "://",
  // assigned-secret
  "SECSEcSeCSecsECsEcseCsec",
  // assigned-secret
  "SECSEcSeCSecsECsEcseCsec",
  // assigned-secret
  "APIAPiApIApiaPIaPiapIapi",
  // assigned-secret
  "ACCACcAcCAccaCCaCcacCacc",
  // assigned-secret
  "PRIPRiPrIPripRIpRiprIpri",
  // assigned-secret
  "ENCENcEnCEnceNCeNcenCenc",
  // assigned-secret
  "SIGSIgSiGSigsIGsIgsiGsig",
  // assigned-secret
  "ACCACcAcCAccaCCaCcacCacc",
  // assigned-secret
  "MASMAsMaSMasmASmAsmaSmas",
  // assigned-secret
  "AUTAUtAuTAutaUTaUtauTaut",
  // assigned-secret
  "ACCACcAcCAccaCCaCcacCacc",
  // assigned-secret
  "AUTAUtAuTAutaUTaUtauTaut",
  // assigned-secret
  "REFREfReFRefrEFrEfreFref",
  // assigned-secret
  "SESSEsSeSSessESsEsseSses",
  // assigned-secret
  "APIAPiApIApiaPIaPiapIapi",
  // assigned-secret
  "BEABEaBeABeabEAbEabeAbea",
  // assigned-secret
  "BOTBOtBoTBotbOTbOtboTbot",
  // assigned-secret
  "ID-ID_IDTIDtId-Id_IdTIdtiD-iD_iDTiDtid-id_idTidt",
  // assigned-secret
  "OAUOAuOaUOauoAUoAuoaUoau",
  // assigned-secret
  "CRECReCrECrecREcRecrEcre",
  // assigned-secret
  "CRECReCrECrecREcRecrEcre",
  // assigned-secret
  "AUTAUtAuTAutaUTaUtauTaut",
  // assigned-secret
  "TOKTOkToKToktOKtOktoKtok",
  // assigned-secret
  "_TO_To_tO_to",
  // assigned-secret
  "PASPAsPaSPaspASpAspaSpas",
  // assigned-secret
  "PASPAsPaSPaspASpAspaSpas",
  // assigned-secret
  "PASPAsPaSPaspASpAspaSpas",
  // assigned-secret
  "PWDPWdPwDPwdpWDpWdpwDpwd",
];
