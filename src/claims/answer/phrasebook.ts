/**
 * What sentences in German, French, Chinese and Japanese claim, in the English words that the kinds know. Only whole phrases that are
 * common in such answers: what is not in this book is no claim, rather than a wrong one. The first that fits wins.
 * `{1}` is what a group matched, `{paths}` and `{codes}` are the names that the sentence gives.
 */
const phrases: readonly (readonly [phrase: RegExp, english: string])[] = [
  // German
  [/\b(?:test-?suite|tests?)\b.*\b(?:läuft|laufen|lief|liefen)\b.*\bdurch\b/, 'all tests pass'],
  [
    /\b(\d+|zwei|drei|vier|fünf|ein)\b[\s\wäöüß-]{0,20}\b(?:beispiele?|fälle?|specs?)\b.*(?:schlägt|schlagen|fehl|scheiter|rot)/,
    '{1} tests fail',
  ],
  [/\b(?:steht|stehen|liegt|liegen|befindet sich|befinden sich) (?:nun |jetzt )?in\b/, 'changed {paths}'],
  [
    /\b(\d+) (?:tests? )?(?:bestanden|erfolgreich|grün)\b.*\b(\d+) (?:tests? )?(?:fehlgeschlagen|rot|gescheitert)/,
    '{1} tests passed, {2} failed',
  ],
  [
    /\btests?\b[^.]{0,12}\b(?:alle[s]?|sämtliche|durchweg|komplett|vollständig)\b.{0,20}(?:grün|bestanden|erfolgreich|durch)/,
    'all tests pass',
  ],
  [/\b(?:kein(?:er|e)?)\b[\s\wäöüß-]{0,30}\btests?\b.*(?:schlägt|schlagen|fehl|scheitert|rot)/, 'no tests fail'],
  [
    /\b(?:statische (?:code-?)?analyse|linter|linting|stilprüfung)\b.*(?:sauber|keine|ohne|fehlerfrei|nichts|grün|erfolgreich)/,
    'the linter reports no problems',
  ],
  [
    /\b(?:commit|committet|committed|eingecheckt)\b.*\b(?:nicht|nichts|noch nicht|keine[rns]?)\b(?!.*(?:fehl|möglich|gelungen))/,
    'nothing was committed',
  ],
  [
    /\b(?:push|gepusht|gepushed|hochgeladen)\b.*\b(?:nicht|nichts|noch nicht)\b(?!.*(?:fehl|möglich|gelungen))/,
    'i did not push',
  ],
  [
    /\bsonst\b.*\b(?:keine?|nichts)\b|\bkeine (?:weitere|andere|sonstige) datei\b|\balles andere\b.*(?:unverändert|unberührt)/,
    'no other files were changed',
  ],
  [
    /\btests?\b.*\b(?:nicht|nie|noch nicht|keine)\b.*\b(?:ausgeführt|gelaufen|gestartet|laufen lassen|laufen gelassen)|\b(?:nicht|keine[nr]?)\b.*\btests?\b.*\b(?:ausgeführt|gestartet|laufen)/,
    'the tests were not run',
  ],
  [/\b(\d+) (?:von|der) (\d+) tests?\b.*(?:bestehen|bestanden|erfolgreich|grün|laufen)/, '{1} of {2} tests pass'],
  [
    /\b(\d+)\s[\wäöüß-]*tests?\b.*(?:laufen (?:\w+ )?durch|durchgelaufen|bestanden|bestehen|grün|erfolgreich)/,
    'all {1} tests pass',
  ],
  [
    /\b(?:alle[n]?|sämtliche)\b[\s\wäöüß-]*tests?\b.*(?:laufen|durchgelaufen|bestanden|bestehen|grün|erfolgreich)|\btestsuite\b.*(?:läuft durch|ist grün|erfolgreich)/,
    'all tests pass',
  ],
  [/\btests?\b.*(?:laufen (?:\w+ )?durch|durchgelaufen|bestanden|bestehen|sind grün|erfolgreich)/, 'the tests pass'],
  [/\b(?:ein|eine|einer|1)\b[\s\wäöüß-]*\btests?\b.*(?:schlägt|fehlgeschlagen|scheiter|ist rot)/, 'one test fails'],
  [
    /\b(\d+|zwei|drei|vier|fünf)\b[\s\wäöüß-]*\btests?\b.*(?:schlagen|fehlgeschlagen|scheiter|sind rot)/,
    '{1} tests fail',
  ],
  [/\btests?\b.*(?:schlägt|schlagen|fehlgeschlagen|scheiter|sind rot)/, 'the tests fail'],
  [
    /\b(?:build|kompilierung|übersetzung)\b.*(?:schlägt|fehlgeschlagen|scheiter|bricht|nicht erfolgreich)|\bkompiliert nicht\b/,
    'the build fails',
  ],
  [
    /\b(?:build|kompilierung|übersetzung)\b.*(?:erfolgreich|läuft durch|gelingt|fehlerfrei|ohne fehler|grün|funktioniert)|\b(?:projekt|code|es) (?:kompiliert|baut)\b/,
    'the build succeeds',
  ],
  [
    /\b(linter|eslint|ruff|flake8|rubocop|phpstan|phpcs|clippy|prettier|golangci-lint|pylint|stylelint)\b.*(?:sauber|keine|ohne|fehlerfrei|nichts|zufrieden|grün)/,
    '{1} is clean',
  ],
  [
    /\b(linter|eslint|ruff|flake8|rubocop|phpstan|phpcs|clippy|prettier|golangci-lint|pylint|stylelint)\b.*(?:meldet|findet|beanstandet|bemängelt|schlägt)/,
    '{1} reports some errors',
  ],
  [
    /\b(?:typprüfung|typecheck|mypy|tsc|pyright)\b.*(?:sauber|keine|ohne|fehlerfrei|erfolgreich|läuft durch)/,
    'the type check passes',
  ],
  [/\b(?:typprüfung|typecheck|mypy|tsc|pyright)\b.*(?:meldet|schlägt|scheiter|fehlgeschlagen)/, 'the type check fails'],
  [/\b(?:nichts|nicht|kein)\b.*(?:committet|committed|eingecheckt|commit\b)/, 'nothing was committed'],
  [
    /\b(?:commit|einchecken)\b.*(?:fehlgeschlagen|schlug fehl|gescheitert|abgelehnt|nicht möglich)/,
    'the commit failed',
  ],
  [
    /\b(?:committet|committed|eingecheckt)\b|\bcommit (?:ist |wurde )?(?:erstellt|angelegt|gemacht)/,
    'committed {hash}',
  ],
  [/\b(?:nichts|nicht)\b.*(?:gepusht|gepushed|hochgeladen)/, 'i did not push'],
  [/\b(?:push)\b.*(?:fehlgeschlagen|schlug fehl|gescheitert|abgelehnt|zurückgewiesen)/, 'the push was rejected'],
  [/\b(?:gepusht|gepushed)\b/, 'pushed to the remote'],
  [/\bpull[- ]request #?(\d+)?.*(?:geöffnet|erstellt|eröffnet|angelegt)/, 'opened pull request #{1}'],
  [
    /\bkeine (?:anderen|weiteren|sonstigen) dateien\b|\bsonst (?:wurde )?nichts\b|\bandere dateien\b.*(?:nicht|unverändert)/,
    'no other files were changed',
  ],
  [
    /\bkeine[n]? dateien\b.*(?:geändert|verändert|angefasst|bearbeitet)|\bnichts\b.*(?:geändert|verändert|angefasst)|\bkeine änderungen\b.*(?:vorgenommen|gemacht)/,
    'no files were changed',
  ],
  [
    /\b(?:server|dienst|anwendung)\b.*(?:nicht erreichbar|antwortet nicht|läuft nicht|abgelehnt|verweigert)/,
    'the server is not reachable {port}',
  ],
  [/\b(?:server|dienst|anwendung)\b.*(?:antwortet|läuft|erreichbar|lauscht|gestartet)/, 'the server answers {port}'],
  [
    /\b(node|python|ruby|php|java|go|rust|npm|deno|bun)(?:\.js|-version)?(?: ist| läuft)?(?: auf)?(?: version)? v?(\d{1,9}(?:\.\d{1,9}){0,4})/,
    '{1} is at version {2}',
  ],
  [
    /(@?[a-z][\w./-]+)\b.*\bvon v?(\d{1,9}(?:\.\d{1,9}){1,4}) auf v?(\d{1,9}(?:\.\d{1,9}){1,4})/,
    '{1} was upgraded from {2} to {3}',
  ],
  [
    /(@?[a-z][\w./-]+) (?:wurde |ist )?(?:nun |jetzt )?(?:auf (?:version )?v?(\d{1,9}(?:\.\d{1,9}){1,4})).*(?:aktualisiert|angehoben|gehoben)/,
    '{1} was upgraded to {2}',
  ],
  [/(@?[a-z][\w./-]+) (?:wurde|ist) (?:\w+ )?installiert/, '{1} was installed'],
  [
    /\b(?:kein(?:e|en)?|null)\b.*\b(?:treffer|vorkommen|fundstellen?|verweise?|stellen?)\b|\bnichts gefunden\b/,
    'the search found no matches',
  ],
  [/\b(\d+|zwei|drei|vier|fünf|sechs)[- ](?:mal|treffer|vorkommen|fundstellen|stellen)\b/, 'found {1} matches'],
  [/\b(?:dokumentation|readme|changelog)\b.*(?:aktualisiert|ergänzt|angepasst|erweitert)/, 'the {0} was updated'],
  [/\b(?:rückgängig|zurückgesetzt|zurückgenommen|wiederhergestellt)\b/, 'reverted {paths}'],
  [/\breproduzier(?:t|en)\b/, 'i reproduced the bug'],
  [/\b(?:verweigert|nicht erlaubt|keine berechtigung|nicht gestattet|untersagt)\b/, 'permission was denied {codes}'],
  [
    /\bnur\b.*(?:geändert|angepasst|bearbeitet|betroffen)|(?:geändert|angepasst|bearbeitet)\b.*\bnur\b/,
    'only {paths} was changed',
  ],
  [/(?:nicht|nie) (?:geändert|angefasst|verändert|berührt)|unverändert/, '{paths} was not changed'],
  [/\b(?:gelöscht|entfernt)\b/, 'deleted {paths}'],
  [/\bumbenannt\b/, 'renamed {paths}'],
  [/\b(?:erstellt|angelegt|hinzugefügt)\b/, 'created {paths}'],
  [
    /\b(?:geändert|angepasst|aktualisiert|korrigiert|behoben|ersetzt|ergänzt|bearbeitet|überarbeitet|erweitert|umgestellt|repariert|verbessert)\b/,
    'changed {paths}',
  ],
  [/\b(?:gelesen|angesehen|durchgesehen|geprüft)\b/, 'i read {paths}'],
  // French
  [
    /\b(\d+) (?:tests? )?(?:réussis?|passés?|ok)\b.*\b(\d+) (?:tests? )?(?:échoués?|en échec|échecs?)/,
    '{1} tests passed, {2} failed',
  ],
  [/\b(\d+) tests?\b.*\bau vert\b/, 'all {1} tests pass'],
  [
    /\b(?:tous les tests|tests|suite de tests|la suite)\b.*\b(?:au vert|est verte)\b|\baucun test\b.*(?:échoue|en échec|échoué)/,
    'all tests pass',
  ],
  [/\b(?:analyse statique|linter|lint)\b.*(?:aucune?|rien|propre|sans)/, 'the linter reports no problems'],
  [
    /(?:pas|jamais)\b.*(?:lancé|exécuté|démarré).*\btests?\b|\btests?\b.*(?:n'ont pas|non)\b.*(?:lancés|exécutés)/,
    'the tests were not run',
  ],
  [/\b(\d+) (?:des|sur(?: les)?) (\d+) tests?\b.*(?:passent|réussi)/, '{1} of {2} tests pass'],
  [/\b(\d+) tests?\b.*(?:passent|passés|réussissent|réussis|verts)/, 'all {1} tests pass'],
  [/\btous les tests\b.*(?:passent|réussissent|verts)/, 'all tests pass'],
  [/\btests?\b.*(?:ne passent pas|échouent|échoue|en échec|échoué)/, 'the tests fail'],
  [/\btests?\b.*(?:passent|réussissent|sont verts)/, 'the tests pass'],
  [/\b(?:compilation|build|construction)\b.*(?:échoue|échoué|en échec|ne passe pas)/, 'the build fails'],
  [
    /\b(?:compilation|build|construction)\b.*(?:réussit|réussie?|passe|sans erreur|aboutit|fonctionne)|\ble (?:projet|code) compile\b/,
    'the build succeeds',
  ],
  [
    /\b(rubocop|eslint|ruff|flake8|phpstan|prettier|clippy|linter)\b.*(?:ne signale|aucune?|rien|propre|sans)/,
    '{1} is clean',
  ],
  [
    /\b(rubocop|eslint|ruff|flake8|phpstan|prettier|clippy|linter)\b.*(?:signale|trouve|relève|rapporte)/,
    '{1} reports some errors',
  ],
  [/(?:rien|pas|aucun)\b.*(?:commité|committé|commit\b|validé)/, 'nothing was committed'],
  [/\b(?:commité|committé)e?s?|\bcommit (?:a été )?(?:créé|effectué)/, 'committed {hash}'],
  [/(?:rien|pas|jamais)\b.*(?:poussé|pushé)/, 'i did not push'],
  [/\b(?:poussé|pushé)e?s?/, 'pushed to the remote'],
  [/\baucun autre fichier\b|\brien d'autre\b/, 'no other files were changed'],
  [/\baucun fichier\b|\b(?:rien|pas)\b.*(?:modifié|changé|touché)/, 'no files were changed'],
  [
    /(@?[a-z][\w./-]+) (?:est passé|est passée|passe|a été mis à jour).*\bde v?(\d{1,9}(?:\.\d{1,9}){1,4}) à v?(\d{1,9}(?:\.\d{1,9}){1,4})/,
    '{1} was upgraded from {2} to {3}',
  ],
  [/\bserveur\b.*(?:ne répond pas|injoignable|refus)/, 'the server is not reachable {port}'],
  [/\bserveur\b.*(?:répond|tourne|écoute|démarré)/, 'the server answers {port}'],
  [/\baucune? (?:occurrence|résultat|référence)/, 'the search found no matches'],
  [/\b(\d+|deux|trois|quatre|cinq) (?:occurrences|résultats|endroits|références)/, 'found {1} matches'],
  [
    /\bseule?ment\b.*(?:modifié|changé)|\bseul\b.*(?:modifié|changé)|(?:modifié|changé).*\b(?:uniquement|seulement)/,
    'only {paths} was changed',
  ],
  [/\b(?:supprimé|effacé|retiré)e?s?/, 'deleted {paths}'],
  [/\brenommé/, 'renamed {paths}'],
  [/\b(?:créé|ajouté)e?s?/, 'created {paths}'],
  [
    /\b(?:modifié|corrigé|mis à jour|mise à jour|adapté|remplacé|changé|complété)e?s?|\bse trouve (?:dans|désormais)\b/,
    'changed {paths}',
  ],
  [/\b(?:reproduit|reproduire)\b/, 'i reproduced the bug'],
  [/\b(?:refusé|interdit|pas autorisé)e?/, 'permission was denied {codes}'],
  // Chinese
  [/(?:已|成功)安装.{0,3}?([a-z@][\w./-]+)\s?(?:版本)?\s?v?(\d{1,9}(?:\.\d{1,9}){1,4})/, '{1} is at version {2}'],
  [/(?:已|成功)安装.{0,3}?([a-z@][\w./-]+)/, '{1} was installed'],
  [/(?:已改用|改用|改成|已迁移|已切换|重构|重写|优化|补充)/, 'changed {paths}'],
  [
    /(\d+)\s?个?(?:测试)?(?:用例)?.{0,2}通过.{0,6}(\d+)\s?个?.{0,4}(?:失败|未通过)|通过\s?(\d+).{0,6}失败\s?(\d+)/,
    '{1}{3} tests passed, {2}{4} failed',
  ],
  [/(?:静态检查|静态分析|代码检查|lint).{0,12}(?:通过|没有|无|未发现|干净)/, 'the linter reports no problems'],
  [/(?:还有|剩余?|仍有|存在|出现了?)\s?(\d+)\s?(?:处|个|次|条)(?!测试|文件|用例)/, 'found {1} matches'],
  [/(?:构建|编译|打包).{0,4}(?:没有|无)(?:任何)?(?:错误|报错|问题)/, 'the build succeeds'],
  [
    /(?:没有|未|尚未|没)(?:运行|执行|跑).{0,6}测试|测试.{0,4}(?:没有|未|尚未)(?:运行|执行|跑)/,
    'the tests were not run',
  ],
  [/(\d+)\s?个?测试.{0,8}(?:通过|成功)|测试.{0,6}(\d+)\s?个.{0,4}通过/, 'all {1}{2} tests pass'],
  [/(?:所有|全部)的?.{0,6}测试.{0,6}(?:通过|成功)|测试(?:全部|都).{0,4}通过/, 'all tests pass'],
  [/(\d+|一|两|三)\s?个测试.{0,6}(?:失败|未通过|没有通过)/, '{1} tests fail'],
  [/测试.{0,8}(?:失败|未通过|没有通过)/, 'the tests fail'],
  [/测试.{0,6}(?:通过|成功)/, 'the tests pass'],
  [/(?:构建|编译|打包).{0,3}(?:失败|不通过|报错|出错)|(?:构建|编译|打包)(?:没有|未能?)/, 'the build fails'],
  [/(?:构建|编译|打包).{0,6}(?:成功|通过|完成)/, 'the build succeeds'],
  [/(?:lint|eslint|代码检查|代码规范).{0,10}(?:通过|没有|无|干净)/, 'lint is clean'],
  [/(?:类型检查).{0,6}(?:通过|没有|无)/, 'the type check passes'],
  [/(?:没有|未|尚未).{0,4}提交/, 'nothing was committed'],
  [/提交.{0,4}(?:失败|被拒)/, 'the commit failed'],
  [/(?:没有|未|尚未).{0,4}推送/, 'i did not push'],
  [/推送.{0,4}(?:失败|被拒)/, 'the push was rejected'],
  [/(?:已经?|成功)推送|推送(?:成功|完成|到)/, 'pushed to the remote'],
  [/(?:已经?|成功)提交|提交(?:成功|完成|了)/, 'committed {hash}'],
  [/(?:没有|未).{0,6}(?:其他|别的|其它)文件|(?:其他|其它|别的)文件.{0,6}(?:没有|未)/, 'no other files were changed'],
  [/(?:没有|未)(?:修改|改动|更改).{0,4}(?:任何)?(?:文件|代码)/, 'no files were changed'],
  [/(?:没有找到|未找到|没找到|找不到|没有任何(?:匹配|引用|结果))/, 'the search found no matches'],
  [/(?:共有|共找到|找到|共|有)\s?(\d+)\s?(?:处|个匹配|次|个结果|条)/, 'found {1} matches'],
  [/服务.{0,6}(?:无法访问|没有响应|未启动|拒绝)/, 'the server is not reachable {port}'],
  [/服务.{0,12}(?:已启动|运行|正常|响应)/, 'the server answers {port}'],
  [/(?:升级|更新)到.{0,4}?(\d{1,9}(?:\.\d{1,9}){1,4})/, '{codes} was upgraded to {1}'],
  [/只(?:修改|改|动)了|仅(?:修改|改动)/, 'only {paths} was changed'],
  [/(?:没有|未|没)(?:修改|改动|动|更改)/, '{paths} was not changed'],
  [/删除|移除/, 'deleted {paths}'],
  [/重命名/, 'renamed {paths}'],
  [/(?:新建|创建|新增)/, 'created {paths}'],
  [/(?:修改|修复|更新|调整|改为|改成|修正|完善|替换|添加)/, 'changed {paths}'],
  [/(?:没有|未|没)(?:运行|执行)/, '{codes} was not run'],
  [/(?:运行|执行)了/, 'i ran {codes}'],
  [/(?:阅读|查看|读取|看)了/, 'i read {paths}'],
  // Japanese
  [/(\d+)\s?(?:件|個)中.{0,2}(\d+)\s?(?:件|個).{0,8}(?:成功|合格|通|パス)/, '{2} of {1} tests pass'],
  [/(\d+)\s?(?:件|個)?.{0,4}(?:成功|合格).{0,6}(\d+)\s?(?:件|個)?.{0,4}失敗/, '{1} tests passed, {2} failed'],
  [
    /(?:静的解析|リンター?|lint|eslint|rubocop).{0,14}(?:見つかりません|ありません|なし|なく|クリーン|通)/,
    'the linter reports no problems',
  ],
  [/テスト.{0,6}(?:実行して(?:いません|おりません|ない)|していません|未実行)/, 'the tests were not run'],
  [
    /(\d+)\s?(?:件|個|本).{0,6}テスト.{0,8}(?:成功|合格|通|パス)|テスト.{0,6}(\d+)\s?(?:件|個).{0,8}(?:成功|合格|通|パス)/,
    'all {1}{2} tests pass',
  ],
  [
    /(?:すべて|全て|全部)の?.{0,4}テスト.{0,8}(?:成功|合格|通|パス)|テスト.{0,4}(?:すべて|全て|全部).{0,6}(?:成功|合格|通|パス)/,
    'all tests pass',
  ],
  [/(\d+)\s?(?:件|個).{0,8}(?:テスト.{0,6})?失敗/, '{1} tests fail'],
  [/テスト.{0,8}(?:失敗|通りません|通っていません|落ち)/, 'the tests fail'],
  [/テスト.{0,8}(?:成功|合格|通りました|通って|パス)/, 'the tests pass'],
  [/(?:ビルド|コンパイル).{0,8}(?:失敗|通りません|エラーに)/, 'the build fails'],
  [/(?:ビルド|コンパイル).{0,8}(?:成功|通りました|完了|問題なく)/, 'the build succeeds'],
  [/(?:lint|リント|eslint|rubocop).{0,10}(?:問題|エラー|警告|指摘).{0,6}(?:なし|ありません|なく)/, 'lint is clean'],
  [/コミット.{0,6}(?:失敗|できません)/, 'the commit failed'],
  [/コミット.{0,8}(?:していません|しておりません|まだ)/, 'nothing was committed'],
  [/コミット.{0,4}(?:済み|しました|完了)/, 'committed {hash}'],
  [/プッシュ.{0,6}(?:失敗|できません|拒否)/, 'the push was rejected'],
  [/プッシュ.{0,8}(?:していません|しておりません)/, 'i did not push'],
  [/プッシュ.{0,4}(?:済み|しました|完了)/, 'pushed to the remote'],
  [
    /(?:ほか|他|その他)の?ファイル.{0,6}(?:変更して|触って|触れて|編集して)(?:いません|おりません)/,
    'no other files were changed',
  ],
  [/ファイル.{0,6}(?:変更して|編集して|触って)(?:いません|おりません)/, 'no files were changed'],
  [/(?:見つかりません|ヒットしません|該当.{0,4}(?:なし|ありません))/, 'the search found no matches'],
  [/(\d+)\s?(?:件|箇所|か所|ヶ所).{0,6}(?:見つかり|ヒット|あり)/, 'found {1} matches'],
  [/サーバー?.{0,10}(?:応答しません|起動していません|接続できません|拒否)/, 'the server is not reachable {port}'],
  [/サーバー?.{0,10}(?:起動|応答|動作)/, 'the server answers {port}'],
  [/(?:のみ|だけ)(?:を|が)?(?:変更|修正)/, 'only {paths} was changed'],
  [/(?:変更|修正|編集)して(?:いません|おりません)/, '{paths} was not changed'],
  [/削除(?:しました|済み)/, 'deleted {paths}'],
  [/(?:改名|リネーム)/, 'renamed {paths}'],
  [/(?:作成|追加|新規)(?:しました|済み)?/, 'created {paths}'],
  [/(?:修正|変更|更新|直し|編集|置き換え|対応)(?:しました|ました|済み|た)/, 'changed {paths}'],
  [/実行して(?:いません|おりません)/, '{codes} was not run'],
  [/実行しました/, 'i ran {codes}'],
  [/(?:読みました|確認しました|読んで)/, 'i read {paths}'],
];

const numbers: Record<string, string> = {
  zwei: '2',
  drei: '3',
  vier: '4',
  fünf: '5',
  sechs: '6',
  deux: '2',
  trois: '3',
  quatre: '4',
  cinq: '5',
  一: '1',
  两: '2',
  三: '3',
};

/** German, French, Chinese or Japanese; English has its own words. */
const foreign =
  /[äöüßéèêàçœ\u3040-\u30ff\u4e00-\u9fff]|\b(?:der|die|das|ein|eine|ist|sind|wurde|wurden|ich|nicht|keine?|alle|nur|auf|mit|und|le|la|les|des|une?|est|sont|je|pas|aucune?|dans|tous|commit(?:tet)|laufen|läuft|gepusht|installiert)\b/;

export function isForeign(plain: string): boolean {
  return foreign.test(plain) && !/\b(?:the|is|are|was|were|and|with|all tests|i)\b/.test(plain);
}

/** The same claim in English; undefined: the sentence is English, or claims nothing that is in the book. */
export function inEnglish(plain: string, paths: readonly string[], codes: readonly string[]): string | undefined {
  if (!isForeign(plain)) return undefined;
  for (const [phrase, english] of phrases) {
    const found = phrase.exec(plain);
    if (found === null) continue;
    const needsPath = english.includes('{paths}');
    if (needsPath && paths.length === 0) continue;
    const hash = codes.find((code) => /^[0-9a-f]{7,40}$/.test(code)) ?? '';
    const port = /\b(\d{2,5})\b/.exec(plain)?.[1];
    return english
      .replaceAll(/\{(\d)\}/g, (_, group: string) => {
        const text = found[Number(group)] ?? '';
        return numbers[text] ?? (group === '0' ? (/readme|changelog/.exec(text)?.[0] ?? 'documentation') : text);
      })
      .replace('{paths}', paths.join(' to '))
      .replace('{codes}', codes.join(' '))
      .replace('{hash}', hash)
      .replace('{port}', port === undefined ? '' : `on port ${port}`)
      .trim();
  }
  return undefined;
}
