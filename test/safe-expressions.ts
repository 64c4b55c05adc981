/**
 * Why each regular expression of the program that may match a text of any length cannot be held up, or run out of stack,
 * by a text that a service chose. `regular-expressions.test.ts` compares this with the code.
 */
const ourText = "only ever run on our own text: the program's, the configuration's, the policy's, the command line's"
const published = 'never run: the pattern of a JSON Schema that is published'
const demoOnly = 'the simulated service reads what tests and people who try it send'
const sealedWhole =
  'the inventory seals a text beyond 64 KiB whole (program text: beyond 512 KiB) before any expression sees it'
const attribute = 'an attribute, at most 64 KiB since longer texts are sealed whole'
const cutBefore = 'reports cut a text to some thousand characters before'
const message = 'words of a service in a message: at most 200 characters (foreign-text.ts)'
const header = 'a header: undici takes 16 KiB of them'

export const safeExpressions: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'src/attestation/envelope.ts': {
    '/^[A-Za-z0-9+/]*={0,2}$/': ourText,
  },
  'src/cli/deliver-report.ts': {
    '/=.*$/s': ourText,
    '/^([^=]*)=(.+)$/s': ourText,
  },
  'src/cli/api/api-parameters.ts': {
    '/--([a-z-]+)/g': ourText,
  },
  'src/questions/restore.ts': {
    '/^[A-Za-z_][A-Za-z0-9_]*$/': published,
  },
  'src/questions/violations.ts': {
    '/^([^=]+)=(.*)$/s': ourText,
  },
  'src/report/report-schema.ts': {
    '/^[1-9]\\d*-[0-9a-f]{8}$/': published,
    '/^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?Z$/': published,
    '/^(\\/([^~/]|~[01])*)*$/': published,
  },
  'src/cli/query-options.ts': {
    '/^[\\w./~:@%+=-]+$/': ourText,
  },
  'src/cli/open-process-context.ts': {
    '/^flags:\\s*([0-7]+)$/m': ourText,
  },
  'src/config/choose-projects.ts': {
    '/^.*\\//': ourText,
  },
  'src/config/configuration-schema.ts': {
    '/\\/{2,}/g': ourText,
    '/^([\\d.]+)([a-z]+)$/': ourText,
    '/^(-?\\d+) ?([A-Za-z]*)$/': ourText,
    '/\\/+$/': ourText,
  },
  'src/config/dialect-schema.ts': {
    "/^(?:\\/[A-Za-z0-9._~!$&'()*+,;=:@-]+)*$/": ourText,
    "new RegExp(text, 'i')": ourText,
  },
  'src/config/expand-references.ts': {
    '/\\$\\$\\{|\\$\\{(?:(?<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?<fallback>[^{}]*))?|file:(?<path>[^{}]+))\\}|\\$\\{/g':
      ourText,
  },
  'src/config/notify-schema.ts': {
    '/^[A-Za-z0-9+/]+={0,2}$/': ourText,
    '/=+$/': ourText,
    '/^\\[(.*)\\]$/': ourText,
  },
  'src/config/read-configuration.ts': {
    '/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g': ourText,
  },
  'src/config/read-places.ts': {
    '/\\$\\{(?:[A-Za-z_]\\w*|file:[^{}]+)/g': ourText,
  },
  'src/config/listen-schema.ts': {
    '/^(?:(?:\\[(?<v6>[0-9A-Fa-f:.]+)\\]|(?<name>[A-Za-z0-9.-]+)):)?(?<digits>\\d{1,5})$/': ourText,
  },
  'src/demo/function-worker.ts': {
    '/\\.?0*Z$/': demoOnly,
  },
  'src/demo/go-json.ts': {
    "new RegExp(markup, 'g')": demoOnly,
  },
  'src/demo/page-cache.ts': {
    '/"has_next_page":true.*"next_page_cursor":"([^"]*)"\\}\\}\\}\\n?$/': demoOnly,
  },
  'src/demo/page.ts': {
    '/^[+-]?\\d+$/': demoOnly,
  },
  'src/demo/filter-request.ts': {
    '/^subscriptions\\/([^/]+)\\/filters(?:\\/([^/]+))?$/': demoOnly,
  },
  'src/demo/write-request.ts': {
    '/^(endpoint|subscription|source)s(?:\\/([^/]+))?(?:\\/(pause|activate))?$/': demoOnly,
  },
  'src/demo/route.ts': {
    '/^\\/api\\/v1\\/projects\\/([^/]+)(?:\\/(.+))?$/': demoOnly,
    '/^(application\\/json|multipart\\/form-data)\\s*(;|$)/i': demoOnly,
  },
  'src/demo/timestamp.ts': {
    '/0+$/': demoOnly,
  },
  'src/history/check-result.ts': {
    '/^I(\\d+)$/': ourText,
  },
  'src/yaml/describe-issue.ts': {
    '/\\$\\{(?:[A-Za-z_]\\w*|file:[^}]{1,200})/g': ourText,
  },
  'src/yaml/describe-value.ts': {
    '/[@?#\\p{Cc}]|\\/\\/.*:.*\\/\\/|key\\s*:|secret|token|password/isu': ourText,
    '/^[\\w ./:*+,<>=-]*$/': ourText,
    '/[^A-Za-z0-9]+/': ourText,
  },
  'src/history/postgres/query/first-word.ts': {
    '/(?:\\s+|--[^\\r\\n]*)/y': ourText,
    '/[A-Za-z]*/y': ourText,
  },
  'src/history/retention.ts': {
    '/(\\d+)([ymdh])/g': ourText,
  },
  'src/history/sqlite/network-file-system.ts': {
    '/^(?:nfs\\d*|cifs|smb\\d*|smbfs|ncpfs?|afs|coda|ceph|lustre|glusterfs|beegfs|gpfs|davfs|fuse\\.(?:sshfs|glusterfs\\w*|ceph\\w*|s3fs|s3ql|goofys|gcsfuse|rclone|davfs2?|smbnetfs|curlftpfs|juicefs|blobfuse2?|mount-s3))$/':
      ourText,
  },
  'src/history/sqlite/sqlite-database.ts': {
    '/\\$(\\d+)/g': ourText,
    '/::[a-z]+(?:\\[\\])?/g': ourText,
    '/= ANY\\((\\$\\d+)\\)/g': ourText,
    '/SELECT unnest\\((\\$\\d+)\\)/g': ourText,
  },
  'src/history/sqlite/run-query.ts': {
    '/^(?:\\s|--[^\\n]*(?:\\n|$)|\\/\\*[\\s\\S]*?\\*\\/)+/': ourText,
    '/^[A-Za-z]*/': ourText,
  },
  'src/inventory/normalise-leaf.ts': {
    '/^[A-Za-z0-9+/]{64,}={0,2}$/': sealedWhole,
    '/(-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\\s\\\\]+-----END CERTIFICATE-----)/': sealedWhole,
  },
  'src/inventory/scalars.ts': {
    '/^(\\d+(\\.\\d+)?(h|ms|m|s|us|µs|ns))+$/': sealedWhole,
    '/([\\d.]+)(h|ms|m|s|us|µs|ns)/g': sealedWhole,
    '/0+$/': sealedWhole,
  },
  'src/inventory/seal-code.ts': {
    '/^[\\s;]*$/': sealedWhole,
  },
  'src/inventory/seal-text.ts': {
    'new RegExp(`(?:^|\\\\.)(?:${escapedHosts})\\\\.?(?::\\\\d{0,5})?$`)':
      'our own names of hosts, none with a repetition',
    "new RegExp(`(?<![\\\\w.-])(?:[\\\\w-]{1,63}\\\\.){0,4}(?:${escapedHosts})\\\\.?(?::\\\\d{0,5})?/\\\\w`, 'gi')":
      'our own names of hosts, with at most four short labels before them',
    '/^\\s*[[{"]/': sealedWhole,
  },
  'src/inventory/secret-facts.ts': {
    '/\\s+/': sealedWhole,
    '/^ASIA[A-Z0-9]{12,}$/': sealedWhole,
    '/^\\d+$/': sealedWhole,
  },
  'src/inventory/split-url.ts': {
    '/^(\\s*(?:[a-z][a-z0-9+.-]*:[/\\\\]+|[/\\\\]{2})?)([\\s\\S]*)$/i': sealedWhole,
    '/^([^/\\\\?#]*)([^?#]*)(\\?[^#]*)?(#[\\s\\S]*)?$/': sealedWhole,
    '/^[^/\\\\?#]*/': sealedWhole,
    '/^[\\w+=-]+$/': sealedWhole,
    '/:\\d*$/': sealedWhole,
  },
  'src/model/errors.ts': {
    '/^\\w+$/': 'names of error classes, at most 60 characters: the length is asked first',
  },
  'src/model/exact-number.ts': {
    '/^-?(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:[eE][+-]?\\d+)?$/':
      'a number: at most 1,000 characters, the length is asked first',
    '/[.eE+-]*$/': 'what a bounded expression matched: at most 1,000 characters',
  },
  'src/secrets/known-secrets.ts': {
    '/[^a-z0-9]+/': sealedWhole,
    '/(?<!\\d)\\d+$/': sealedWhole,
    '/\\bwhsec_[A-Za-z0-9+/=_-]{6,}/': sealedWhole,
    '/\\b[rs]k_(?:live_|test_)?[A-Za-z0-9]{12,}/': sealedWhole,
    '/\\bgh[oprsu]_[A-Za-z0-9]{20,}/': sealedWhole,
    '/\\bgithub_pat_[A-Za-z0-9_]{20,}/': sealedWhole,
    '/\\bglpat-[A-Za-z0-9_-]{16,}/': sealedWhole,
    '/\\bxox[abeoprs]-[A-Za-z0-9-]{10,}/': sealedWhole,
    '/\\bAIza[0-9A-Za-z_-]{30,}/': sealedWhole,
    '/\\bSG\\.[A-Za-z0-9_-]{16,}\\.[A-Za-z0-9_-]{16,}/': sealedWhole,
    '/\\bCO\\.[A-Za-z0-9]{16}\\.[A-Za-z0-9]{16,}/': sealedWhole,
    '/(?<![\\w-])(?=[\\w-]+\\.\\.?[\\w-]{8})(?:[\\w-]*-)?eyJ[\\w-]{8,}\\.(?:[\\w-]{8,}|\\.[\\w-]{8,})(?:\\.[\\w-]*){0,3}/':
      sealedWhole,
    '/\\bsk-(?:(?:ant|proj|svcacct|admin|or)-[A-Za-z0-9_-]{16,}|[A-Za-z0-9]{32,})/': sealedWhole,
    '/\\bhv[sbr]\\.[A-Za-z0-9_-]{16,}/': sealedWhole,
    '/\\bpypi-[A-Za-z0-9_-]{16,}/': sealedWhole,
    '/\\bPMAK-[a-f0-9-]{24,}/': sealedWhole,
    '/\\bATATT3[A-Za-z0-9_=-]{16,}/': sealedWhole,
    '/\\bAGE-SECRET-KEY-1[A-Z0-9]{16,}/': sealedWhole,
    '/\\bsq0(?:csp|atp|idp)-[A-Za-z0-9_-]{16,}/': sealedWhole,
    '/\\b(?:hf|lin_api)_[A-Za-z0-9]{20,}/': sealedWhole,
    '/\\$(?:2[abxy]|[156y]|argon2(?:id|[di])|scrypt)\\$[A-Za-z0-9./+,=$-]{20,}/': sealedWhole,
    '/\\s+/': ourText,
    '/-----BEGIN [A-Z ]*PRIVATE KEY-----[\\s\\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/': sealedWhole,
    '/\\b(?:Bearer|Basic)\\s+(?!(?:authenti[a-z]+|authori[a-z]+|credentials?|passwords?|username)(?![\\w+/=.~-]))[A-Za-z0-9+/=._~-]{8,}/':
      sealedWhole,
    "new RegExp(credentialForms.map(({ source }) => source).join('|'), 'g')": sealedWhole,
    '/\\bya29\\.[0-9A-Za-z_-]{16,}/': sealedWhole,
    '/\\bnpm_[A-Za-z0-9]{20,}/': sealedWhole,
    '/\\bxapp-[A-Za-z0-9-]{10,}/': sealedWhole,
    '/\\bshp(?:at|ss|ca|pa)_[A-Za-z0-9]{16,}/': sealedWhole,
    '/\\bdop_v1_[a-f0-9]{32,}/': sealedWhole,
    '/\\b\\d{8,10}:[A-Za-z0-9_-]{30,}/': sealedWhole,
    '/(?<=\\/\\/)(?!\\+{0,3}sealed:[0-9a-f]{32}[+=]{0,3}@)[^\\s/@]+(?=@)/': sealedWhole,
    'new RegExp(credentials.source)': sealedWhole,
  },
  'src/secrets/plain-text.ts': {
    '/^[A-Za-z\\u00c0-\\u024f]+$/': 'at most 128 characters: the length is asked first',
    '/[A-Z\\u00c0-\\u00de]?[a-z\\u00df-\\u024f]+|[A-Z\\u00c0-\\u00de]+(?![a-z\\u00df-\\u024f])/g':
      'at most 128 characters: the length is asked first',
    '/^\\d+$/': 'at most 128 characters: the length is asked first',
  },
  'src/notify/channels/directory.ts': {
    '/^run-(\\d{6,})$/': ourText,
  },
  'src/notify/channels/email.ts': {
    '/^127\\.[\\d.]+$/': ourText,
  },
  'src/notify/compose-messages.ts': {
    '/\\s+/g': ourText,
  },
  'src/policy/cel/custom-rule.ts': {
    '/\\{[^{}]*\\}/g': ourText,
  },
  'src/policy/cel/compile.ts': {
    '/^no such overload: (.*)$/': ourText,
    "/'(?:(.+)\\.)?(\\w+)\\((.*)\\)'$/": ourText,
  },
  'src/policy/policy-schema.ts': {
    '/^(\\/([^~/]|~[01])*)+$/': ourText,
  },
  'src/policy/policy-test-schema.ts': {
    '/^[^/]+\\/[^/]+$/': ourText,
  },
  'src/policy/read-probes.ts': {
    '/\\(line (\\d+) column (\\d+)\\)/': ourText,
  },
  'src/policy/selector.ts': {
    '/^\\/(.+)\\/$/s': ourText,
  },
  'src/report/csv/csv-table.ts': {
    '/(^|;)(["\'\\s]*)(?=[=+\\-@＝＋－＠])/g': cutBefore,
  },
  'src/report/markdown/prose.ts': {
    "/^(?:[\\p{L}\\p{M}]+(?:['’-][\\p{L}\\p{M}]+)*|\\d+|%|)[,.;:]?$/u": cutBefore,
    '/^[0-9a-f]{7,}/i': cutBefore,
    '/^(.*[^,.;:])([,.;:])$/s': cutBefore,
  },
  'src/report/ocsf/findings.ts': {
    '/:.*/s': ourText,
  },
  'src/report/sarif/plain.ts': {
    '/(?<!\\\\)(\\\\*)([[\\]])/g': cutBefore,
    '/\\{(\\d+)\\}/g': cutBefore,
  },
  'src/report/markdown/sections.ts': {
    '/\\s*\\n\\s*/g': 'only ever run on remediations, which hookdrift or the policy wrote',
  },
  'src/report/text/show-time.ts': {
    '/^(\\d{4}-\\d\\d-\\d\\d)T(\\d\\d:\\d\\d)(?::\\d\\d(?:\\.\\d+)?)?Z$/': ourText,
  },
  'src/rules/shared/destination.ts': {
    '/^(?:\\*\\.)?[a-z0-9_:.-]+$/': ourText,
    '/^[^/]*\\/\\/[^/?#]*\\{/': attribute,
    '/:\\{+[^{}]*\\}+(?=[/?#]|$)/g': attribute,
    '/(?<!\\{)\\{+[^{}]*\\}+/g': attribute,
    '/:|(?:^|\\.)\\d[^.]*$/': attribute,
  },
  'src/rules/drift/secret-changed.ts': {
    '/^\\/secrets\\/[^/]+\\/deleted_at$/': 'a JSON Pointer: uids have at most 500 characters, names 1,000 bytes',
  },
  'src/rules/endpoint/alert-contact-invalid.ts': {
    '/^[^\\s@,;<>]+@[^\\s@,;<>.]+(?:\\.[^\\s@,;<>.]+)*$/': attribute,
  },
  'src/rules/endpoint/url-credentials.ts': {
    '/[^a-z0-9]+/': attribute,
  },
  'src/rules/endpoint/url-duplicate.ts': {
    '/^([^:/]*:\\/\\/)([^/?#]*)(.*)$/s': attribute,
  },
  'src/rules/endpoint/url-test-host.ts': {
    '/\\s+/': ourText,
  },
  'src/rules/project/tls-not-enforced.ts': {
    '/^\\s*http:/i': attribute,
  },
  'src/rules/rule-page.ts': {
    '/<!--[\\s\\S]*?-->\\n?/g': ourText,
    '/\\s+/g': ourText,
  },
  'src/rules/shared/filter-fault.ts': {
    '/\\\\Q[\\s\\S]*?(?:\\\\E|$)|\\\\[1-9][0-7]?|\\\\[\\s\\S]|\\[\\^?\\]?(?:\\[:\\w+:\\]|\\\\[\\s\\S]|[^\\]\\\\])*\\]|\\(\\?(?:<?[=!]|>|#)|\\(\\?[a-zA-Z-]*\\)|\\((?:\\?(?:P?<\\w*>|[a-zA-Z-]*:))?|\\{\\d+(?:,\\d*)?\\}|[\\s\\S]/g':
      'patterns of more than 1,000 characters are left alone',
    '/\\d+/g': 'patterns of more than 1,000 characters are left alone',
  },
  'src/rules/subscription/alert-odd.ts': {
    '/^(?:(?:\\d+(?:\\.\\d*)?|\\.\\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/': attribute,
  },
  'src/rules/subscription/function-suspicious.ts': {
    '/(?<![\\w$.])(?:eval|Function)\\s*\\(/':
      'the text is cut to 100,000 characters first, and each alternative takes what it began',
    '/\\/\\*[\\s\\S]*?(?:\\*\\/|$)|\\/\\/[^\\n]*|"(?:\\\\.|[^"\\\\\\n])*"?|\'(?:\\\\.|[^\'\\\\\\n])*\'?|`((?:\\\\[\\s\\S]|[^`\\\\])*)`?/g':
      'the text is cut to 100,000 characters first, and each alternative takes what it began',
    '/\\$\\{[^{}]*\\}/g': 'the text is cut to 100,000 characters first, and each alternative takes what it began',
    '/\\bfunction\\s+transform\\s*\\(\\s*([A-Za-z_$][\\w$]*)/':
      'the text is cut to 100,000 characters first, and each alternative takes what it began',
    '/\\bconsole\\s*\\.\\s*\\w+\\s*\\(\\s*[^;\\n]*/g':
      'the text is cut to 100,000 characters first, and each alternative takes what it began',
    '/[^\\w$.?[]+/': 'the text is cut to 100,000 characters first, and each alternative takes what it began',
  },
  'src/service/wire-request.ts': {
    '/\\/+$/': ourText,
  },
  'src/service/send-request.ts': {
    '/^\\d+(\\.\\d+)?$/': header,
    '/^[\\x21-\\x7e]([\\t\\x20-\\x7e]*[\\x21-\\x7e])?$/': ourText,
  },
  'src/service/dialect.ts': {
    "new RegExp(message, 'i')": message,
    "new RegExp(dialect.projectNotFound, 'i')": message,
    "new RegExp(dialect.functionNotTried, 'i')": message,
  },
  'src/service/read-pages.ts': {
    "new RegExp(escapeForRegExp(text).replaceAll('_', '.'), 'gisu')":
      'made without quantifiers, and searched from left to right once',
  },
  'src/service/foreign-text.ts': {
    '/\\s+/g':
      'headers of 16 KiB and messages of error bodies, which are read up to 64 KiB; what is searched for a credential has 200 characters',
    "new RegExp(escapeForRegExp(part), 'gi')":
      'headers of 16 KiB and messages of error bodies, which are read up to 64 KiB; what is searched for a credential has 200 characters',
  },
  'src/service/network-failure.ts': {
    '/^\\w+$/': 'codes of errors, at most 60 characters: the length is asked first',
  },
  'src/service/proxy-for.ts': {
    '/^[a-z][a-z0-9+.-]*:\\/\\//i': ourText,
  },
  'src/service/exchange-once.ts': {
    '/^application\\/(json|[\\w.!#$&^-]+\\+json)\\s*(;|$)/i': header,
  },
  'src/serving/host-check.ts': {
    '/^(\\[[^\\]]*\\]|[^:]*)(?::\\d*)?$/': header,
    '/^\\[(.*)\\]$/': header,
  },
  'src/text/columns.ts': {
    '/^[ -~·–—…→×]*$/': 'one class of characters to the end: each is read once',
    '/ +/g':
      'sentences of ours; names in them have at most 1,000 bytes (parse-json.ts); a blank run is replaced in one step',
  },
  'src/worker/timetable.ts': {
    '/^(?:@(?:yearly|annually|monthly|weekly|daily|midnight|hourly)|[^\\s?@]+(?: +[^\\s?@]+){4,5})$/': ourText,
  },
}
