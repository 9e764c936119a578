/** Words before a colon that announce an error and say nothing about it: `API error:`, `Prompt failed:`. They may follow each other. */
export const announcing: readonly RegExp[] = [
  /^[\w.]*(?:error|exception|failure)$/i,
  /^(?:(?:llm|model|ai|api|provider|chat|upstream|inference) ){0,2}(?:execution|prompt|request|retry|call|turn|stream|response|sampling|completion|generation) failed/i,
  /^failed after (?:retrying )?\d{1,4} (?:times|attempts|retries|tries)/i,
  /^(?:sorry, |oops, )?(?:I )?(?:ran into|encountered|got|received) (?:an|this) (?:\w+ )?error/i,
  /^(?:sorry, |oops, )?an (?:\w+ )?error (?:occurred|happened) (?:while|when) (?:calling|asking|contacting)\b/i,
  /^error (?:calling|asking|contacting|querying|invoking|communicating with|talking to|connecting to|from) (?:the )?(?:[\w.-]{1,20} ){0,2}(?:llm|model|api|provider|server|openai|anthropic|gemini|bedrock|vertex(?: ai)?|azure|openrouter|ollama|copilot)$/i,
  /^error (?:while )?(?:processing|handling|sending|executing|generating|streaming) (?:the |your |a )?(?:request|prompt|message|response|completion|turn)$/i,
  /^error (?:code )?\d{3,5}$/i,
  /^(?:github )?(?:copilot|openai|anthropic|gemini|vertex ai|bedrock|azure|ollama|openrouter|groq|mistral|deepseek)(?: api)?(?: error)?$/i,
  /^(?:giving up|retries exhausted|max(?:imum)? retries reached)(?: after \d{1,4} (?:retries|attempts|tries))?$/i,
  // The same in other languages, after which a server speaks English.
  /fehler|erreur|errore|erro\b|fout\b|błąd|hata\b|lỗi|ошибка|エラー|错误|錯誤|오류|失败|失敗/i,
];
/** Errors whose name alone says that a model's server, or the way to it, is meant. */
export const telling =
  /^(?:(?:httpx|httpcore|requests|urllib3|aiohttp|botocore|openai|anthropic|litellm|google|grpc|mistralai|cohere|groq|ollama)\.[\w.]*(?:Error|Exception|Timeout|Exhausted|Unavailable|Denied|Unauthenticated)|(?:[\w.]{0,60}\.)?(?:AuthenticationError|PermissionDeniedError|RateLimitError|APIConnectionError|APIConnectionTimeoutError|APIStatusError|APIError|CAPIError|OverloadedError|InternalServerError|ServiceUnavailableError|ContextWindowExceededError|QuotaExceededError|AI_APICallError|AI_RetryError|AccessDeniedException|ExpiredTokenException|UnrecognizedClientException|ThrottlingException|ServiceQuotaExceededException|ServiceUnavailableException|InternalServerException|ModelErrorException|ModelNotReadyException|ModelTimeoutException))(?::|$)/;

/** How model servers and the programs that ask them say that they could not answer. */
export const faults: readonly RegExp[] = [
  /^(?:dial tcp |net::ERR_|x509: |(?:get|post) "?https?:\/\/[^\s"]+"?:? (?:EOF$|[45]\d\d$|[45]\d\d[ :]|dial tcp|read tcp|context deadline)|all connection attempts failed|server disconnected\b|certificate signed by unknown|unable to locate credentials|cannot connect to host )/i,
  /^<html><head>\s*<title>[45]\d\d/i,
  /^error, status code: [45]\d\d/i,
  /^(?:UNAVAILABLE|UNAUTHENTICATED|PERMISSION_DENIED|RESOURCE_EXHAUSTED|DEADLINE_EXCEEDED|FAILED_PRECONDITION|INVALID_ARGUMENT)(?::|$)/,
  /^(?:got|received|returned|response) status(?: code)?:? ?[45]\d\d\b/i,
  /^(?:upstream (?:connect error|request timeout)|no healthy upstream)\b/i,
  /^(?:unfortunately,? |sorry,? )?(?:the |my |your )?(?:request|call|connection) to (?:the )?(?:[\w-]{1,20} ){0,3}(?:model|llm|provider) (?:has )?(?:failed|timed out|was (?:rejected|refused|denied))\b/i,
  /^(?:(?:TLS|SSL) (?:handshake|connection) (?:failed|error)|unable to (?:verify the first|get (?:local )?issuer) certificate)/i,
  /^(?:ollama|lm studio|vllm|the (?:model|llm|inference) server) (?:is not running|is unreachable|could not be reached)(?=$|[.,;:!(])/i,
  /^(?:\w{1,20} )?error(?: (?:code|status))?:? ?\(?[45]\d\d\b/i,
  /^(?:HTTP|status)(?:\/\d(?:\.\d)?)?(?: (?:status|code|error)){0,2}:? ?[45]\d\d\b/i,
  /^(?:unexpected status|request failed with status(?: code)?|received status(?: code)?|server returned(?: status)?|api returned(?: status)?) [45]\d\d\b/i,
  /^(?:sorry, )?you(?:'ve| have)?(?: been)? (?:rate.limited|(?:exceeded|hit|reached|used up|run out of) (?:your|a rate limit|the rate limit|(?:your )?(?:credits|quota)))\b/i,
  /^(?:connect|read|write|getaddrinfo) E[A-Z_]{3}/,
  /^(?:UND_ERR_|stream (?:disconnected|closed|ended) before|error sending request for url|unable to connect\b)/i,
  /^(?:could not|cannot|can't|couldn't|failed to|unable to) (?:connect to|reach|contact) (?:the )?(?:api|model|server|provider|service|https?:)/i,
  /^exceeded retry limit, last status\b/i,
  /^(?:failed to get (?:a )?response from (?:the )?(?:[\w.-]{1,40} ){0,2}model|no response from (?:the )?(?:model|server|provider))/i,
  /^this model's maximum context length is \d/i,
  /^(?:the |your )?(?:input|prompt|request|messages?|conversation)(?: token count(?: of)?)?(?: \(?\d+\)?)?(?: tokens?)? exceeds? (?:the|this|your)\b/i,
  /^input length and `?max_tokens`? exceed/i,
];

/** The same, where more than the first words must fit: a server says no more than this, or goes on as in `ends`. */
export const sentences: readonly RegExp[] = [
  /^[A-Z][A-Z0-9_]{1,40}_(?:KEY|TOKEN)(?: environment variable)? (?:is |was )?(?:not set|not configured|missing|required|empty|invalid)/,
  /^no models? (?:is |are )?(?:available|configured|selected|loaded)/i,
  /^(?:(?:authentication|authorization) (?:failed|error|required|expired)|failed to (?:authenticate|log ?in))/i,
  /^(?:(?:your |the |an? )?(?:invalid|incorrect|expired|missing|revoked|no) (?:api[ _-]?key|x-api-key|access token|token|(?:authentication )?credentials?)(?: (?:provided|given|found|format))?)/i,
  /^(?:(?:your |the )?(?:api[ _-]?key|(?:oauth |access |refresh )?token|credentials?|login|session)(?: is| are| has| was)? (?:not valid|invalid|expired|missing|revoked|rejected|disabled))/i,
  /^(?:(?:you are )?not logged in|please (?:run \/login|log ?in|sign in)|login required|unauthorized|forbidden|access denied|payment required)/i,
  /^(?:insufficient[_ ](?:quota|credits?|balance|funds)|(?:your )?credit balance is too low(?: to access [\w ]{1,40})?|out of credits)/i,
  /^(?:(?:[\w-]{1,20} ){0,2}(?:rate|usage|request|requests|token|tokens|session|weekly|monthly|daily|spending)[ _-]limit(?: has been| was| is)?[ _](?:exceeded|reached|hit|exhausted|error))/i,
  /^(?:(?:[\w-]{1,20} )?(?:\d{1,2}-hour|weekly|monthly|daily|session) limit reached)/i,
  /^(?:your (?:account|organization|subscription)(?: is| has been| was)? (?:not active|inactive|deactivated|disabled|suspended))/i,
  /^(?:(?:the )?(?:upstream |model )?provider returned (?:an )?error)/i,
  /^(?:(?:[\w-]{1,20} ){0,2}quota(?: has been| was| is)?[ _](?:exceeded|reached|exhausted)|too many requests|resource[_ ](?:has been )?exhausted(?: \(e\.g\. check quota\))?|rate_limit_error)/i,
  /^(?:(?:the |this |that |your )?(?:[\w.-]{1,40} ){0,2}(?:model|engine|server|service|provider|api) (?:(?:is |are )?(?:currently |temporarily )?(?:overloaded|unavailable|at capacity|experiencing high demand)|had an error))/i,
  /^(?:overloaded(?:_error)?|(?:internal )?server(?: |_)error|service (?:is )?(?:temporarily |currently )?unavailable|bad gateway|gateway time-?out|internal[ _]error|api_error)/i,
  /^(?:fetch failed|failed to fetch|socket hang up|terminated|connection (?:error|refused|reset|closed|failed|lost|aborted|timed out)|network (?:error|is unreachable|connection lost)|(?:the )?(?:request|connection|stream) timed out|premature close)/i,
  /^(?:(?:the |your )?(?:prompt|input|context|conversation|request|message|messages|payload|history)(?: is| are| was)? too (?:long|large|big)(?: to send[\w ]{0,40})?)/i,
  /^(?:(?:the |your |this )?(?:[\w.-]{1,40} ){0,2}context(?: |_)?(?:length|window|limit|size)?(?: |_)(?:was |has been |is )?(?:exceeded|overflow|reached|full))/i,
  /^(?:(?:the )?model [\w./:`"'-]{1,100} (?:(?:was )?not found|does not exist(?: or you do not have access to it)?|is not (?:available|supported)))/i,
  /^(?:model[_ ]not[_ ]found|model_not_found_error|not_found_error|invalid_request_error|authentication_error|permission_error)/i,
];

/** Nothing but that there was an error. */
export const nothingMore =
  /^(?:sorry,? |oops[,!.]? )?(?:(?:an? )?(?:unknown|unexpected|internal) error(?: (?:has )?occurred)?|something went wrong(?: while processing (?:your|the) request)?)(?:[.!](?: please)?(?: (?:try again|retry)[^\n.!]{0,30})?)?[.!]?$/i;

/** The same, and so near to what an answer may begin with that nothing but advice may follow. */
export const curt: readonly RegExp[] = [
  /^(?:(?:the |this |your )?(?:[\w.-]{1,40} ){0,2}(?:model|llm)(?: provider)? (?:returned an? (?:empty|invalid|unexpected) response|(?:is |was )?(?:currently |temporarily )?(?:busy|unreachable|unavailable|not (?:available|supported|configured|accessible|enabled))))/i,
  /^no (?:language )?model (?:provider )?(?:is )?configured/i,
  /^(?:(?:no|an? empty|(?:received )?an? (?:empty|invalid)) response (?:was )?(?:received )?(?:from|by) (?:the )?(?:model|llm|api|provider|server))/i,
  /^failed to (?:parse|read|decode|get|fetch|receive|generate|stream) (?:the |a |an )?(?:model |llm |api )?(?:response|completion)(?: from (?:the )?(?:[\w.-]{1,40} ){0,2}(?:model|llm|api|provider|server))?/i,
  /^invalid response from (?:the )?(?:api|model|provider|server|llm)/i,
  /^(?:you (?:don't|do not) have access to (?:this|the|that) model|access to (?:the |this )?model (?:is |was )?denied)/i,
  /^(?:subscription|paid plan|sign[- ]?in|log[- ]?in|authentication|proxy authentication) (?:is )?required(?: to use (?:this|the) model)?/i,
  /^(?:the |your )?(?:[\w-]{1,20} ){1,2}(?:limit|quota|credits|allowance)(?: has been| have been| was| were| is| are)? (?:exceeded|reached|hit|exhausted|used up)/i,
  /^you(?:'ve| have) (?:used (?:all|up)|no (?:remaining|more)|exhausted) (?:(?:of )?(?:your|the) )?(?:[\w-]{1,20} ){0,2}(?:requests?|credits?|quota|tokens?|messages|balance)(?: (?:for|in) (?:this|the) (?:month|day|week|period))?/i,
  /^(?:not enough|no (?:remaining|more)) (?:credits?|balance|funds|quota)/i,
  /^your (?:free )?(?:trial|plan|subscription) (?:has |is )?(?:ended|expired|over)/i,
  /^(?:throttled|rate[- ]limited|too many (?:tokens|concurrent requests)(?: per \w{1,10})?)/i,
  /^(?:(?:the )?(?:api |model )?server is (?:currently |too )?(?:busy|down|not responding))/i,
  /^(?:connect: connection refused|(?:the )?stream ended unexpectedly|unexpected end of json input|the operation was aborted(?: due to timeout)?|empty response)/i,
  /^(?:max(?:imum)? (?:number of )?retries (?:exceeded|reached)|giving up after \d{1,4} (?:retries|attempts|tries)|retries exhausted)/i,
  /^(?:(?:unable to|could not|failed to) (?:authenticate|authorize|sign in)(?: (?:with|to) (?:the )?(?:github copilot|copilot|openai|anthropic|google|(?:model )?provider|model|api|server))?|(?:you are )?not authenticated|unauthenticated|please (?:authenticate|sign in)(?: first)?)/i,
  /^we(?:'re| are) (?:currently )?experiencing (?:high|heavy|unusually high) (?:demand|load|traffic)(?: right now)?/i,
  /^(?:the |your )?(?:request|prompt|content|response|output) (?:was |has been |is )?(?:rejected|blocked|refused|filtered|flagged) by (?:the )?(?:model )?(?:provider|safety|content)(?:'s [\w ]{1,30})?/i,
  /^dns (?:resolution|lookup) failed(?: for [\w.-]+)?/i,
  /^(?:certificate has expired|self[- ]signed certificate(?: in certificate chain)?)/i,
];
