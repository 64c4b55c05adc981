// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of shells
import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { curlLines } from '../../src/gateway/repair/curl.ts'
import { bodyOf, placeholdersIn, spell, spellBody } from '../../src/gateway/repair/pieces.ts'
import { readRequest } from '../../src/gateway/repair/read-request.ts'
import { readTarget } from '../../src/gateway/repair/read-target.ts'
import { RequestText } from '../../src/gateway/repair/request-text.ts'
import { splitCommand } from '../../src/gateway/repair/split-command.ts'
import { AuditError } from '../../src/model/errors.ts'
import type { JsonObject } from '../../src/model/json.ts'
import { anyCharacter } from '../any-character.ts'
import { tries } from '../thoroughness.ts'

const key = 'CO.not-a-real-key-8f41c09be2d7a365'
const at = 'https://gw.example.com/api/v1/projects/p1/endpoints/e1'
const path = '/api/v1/projects/p1/endpoints/e1'

/** The request in a few words: method, host, path, body. */
function read(text: string | Buffer) {
  const { method, host, path: read, body, version } = readRequest(text, 'request.txt')
  return { method, host, path: spell(read), body: body && spellBody(body), version }
}

function faultOf(text: string | Buffer): string {
  try {
    return `not refused: ${JSON.stringify(read(text))}`
  } catch (thrown) {
    if (!(thrown instanceof AuditError)) throw thrown
    expect(thrown.kind).toBe('usage')
    return `${thrown.message} | ${thrown.advice}`
  }
}

const put: ReturnType<typeof read> = { method: 'PUT', host: 'gw.example.com', path, version: null, body: { name: 'a' } }
const json = `'{"name":"a"}'`

describe('a curl command', () => {
  it.each<[string, string, Partial<ReturnType<typeof read>>]>([
    ['as people write it', `curl -X PUT ${at} -d ${json}`, put],
    ['after a prompt', `$ curl -X PUT ${at} -d ${json}\n`, put],
    ['after a comment', `# rename\n\ncurl -X PUT ${at} -d ${json} # done\n\n# end`, put],
    ['on several lines', `curl \\\n  -X PUT \\\n  -H 'a: b' \\\n  -d ${json} \\\n  ${at}\n`, put],
    ['with line ends of Windows', `\ufeffcurl -X PUT \\\r\n  -d ${json} ${at}\r\n`, put],
    ['with options in one word', `curl -sSfXPUT -d${json} ${at}`, put],
    ['with long options', `curl --request=PUT --data-raw ${json} --url ${at}`, put],
    [
      'with options that change nothing',
      `curl -kLiv -o /dev/null -m 5 --max-time 3 --compressed --fail-with-body -w '%{http_code}' -X PUT --json ${json} ${at}`,
      put,
    ],
    [
      'with credentials',
      `curl -u u:${key} -H "Authorization: Bearer ${key}" -X PUT -d ${json} 'https://u:${key}@gw.example.com:443${path}?key=${key}#${key}'`,
      put,
    ],
    ['in double quotes', `curl -X PUT ${at} -d "{\\"name\\":\\"a\\"}"`, put],
    ["in $'…'", `curl -X PUT ${at} -d $'{"name":"\\u0061"}'`, put],
    ['with a body over lines', `curl -X PUT ${at} -d '{\n  "name": "a"\n}'`, put],
    ['without a method, with a body', `curl ${at} -d ${json}`, { method: 'POST' }],
    ['with the last of two methods', `curl -X POST -X PUT ${at} -d ${json}`, put],
    ['without a body', `curl -X DELETE ${at}`, { method: 'DELETE', body: undefined }],
    ['with an empty body', `curl -X PUT ${at}/pause -d ''`, { body: undefined, path: `${path}/pause` }],
    ['with an empty object', `curl -X PUT ${at} -d {}`, { body: {} }],
    ['with a version', `curl -X PUT ${at} -d ${json} -H 'X-Convoy-Version: 2025-11-24'`, { version: '2025-11-24' }],
    [
      'with variables',
      'curl -X PUT "$URL/api/v1/projects/${P:?}/endpoints/"$E -d "{\\"name\\": \\"x ${NAME} y\\"}"',
      { host: null, path: '/api/v1/projects/${P}/endpoints/${E}', body: { name: 'x ${NAME} y' } },
    ],
    [
      'with a variable for the host',
      'curl -X PUT "https://$HOST/projects/p" -d {}',
      { host: null, path: '/projects/p' },
    ],
    [
      'without a scheme',
      `curl -X PUT gw.example.com:8080/projects/p -d {}`,
      { host: 'gw.example.com:8080', path: '/projects/p' },
    ],
    [
      'with exact numbers',
      `curl -X PUT ${at} -d '{"rate_limit": 12345678901234567890, "n": "number:12345678901234567890"}'`,
      { body: { rate_limit: 'number:12345678901234567890', n: 'text:number:12345678901234567890' } },
    ],
  ])('%s is read', (_, text, expected) => {
    expect(read(text)).toMatchObject(expected)
  })

  it.each<[string, string]>([
    ['$(touch pwned)', 'a command within the command'],
    ['"$(touch pwned)"', 'a command within the command'],
    ['`touch pwned`', 'a command within the command'],
    ['"`touch pwned`"', 'a command within the command'],
    ['"${X:-`touch pwned`}"', 'an expansion of the shell'],
    ['"${X:?$(touch pwned)}"', 'an expansion of the shell'],
    ['"${X:=y}"', 'an expansion of the shell'],
    ['$((1+1))', 'a command within the command'],
    ['"$1"', 'an expansion of the shell'],
    ['"$@"', 'an expansion of the shell'],
    ['| jq .', 'a pipe'],
    ['> out', 'a redirection'],
    ['< in', 'a redirection'],
    ['<<EOF\n{}\nEOF', 'a redirection'],
    ['&& rm x', 'a second command'],
    ['; rm x', 'a second command'],
    ['& rm x', 'a second command'],
    ['(rm x)', 'a subshell'],
    ['*', 'a pattern of file names'],
    ['[a]', 'a pattern of file names'],
    ['?', 'a pattern of file names'],
    ['{a,b}', 'a brace that a shell may expand'],
    ['^\nx', 'an escape of Windows'],
    ['\nrm x', 'a second command begins here'],
    ["'open", 'has no end'],
    ['"open', 'has no end'],
    ["$'open", 'has no end'],
    ["$'\\xff'", 'an escape that hookdrift does not read'],
    ["$'\\0'", 'an escape that hookdrift does not read'],
    ['-d @/etc/passwd', 'the body is in a file'],
    ['--data=@-', 'the body is in a file'],
    ['--data-binary @-', 'the body is in a file'],
    ['--json @x', 'the body is in a file'],
    ['-H @x', 'the headers are in a file'],
    ['-K x', 'the option -K of curl reads a file'],
    ['--config x', 'the option --config of curl reads a file'],
    ['-T x', 'the option -T of curl sends a file'],
    ['-F a=@x', 'the option -F of curl sends a form'],
    ['--data-urlencode a=b', 'the option --data-urlencode of curl sends a form'],
    ['-G', 'the option -G of curl puts the body into the address'],
    ['-I', 'the option -I of curl asks for headers alone'],
    ['--next', 'the option --next of curl begins a second request'],
    ['--connect-to ::evil.example:', 'the option --connect-to of curl is not known'],
    ['--expand-data x', 'the option --expand-data of curl is not known'],
    [`--${key}`, 'the option of curl is not known'],
    ['--constructor', 'the option --constructor of curl is not known'],
    ['-sZ', 'the option -Z of curl is not known'],
    ['-s$X', 'a variable among options'],
    ['-', 'an option without a name'],
    ['--silent=x', 'the option takes no value'],
    ['-o', 'the option has no value'],
    ['https://other.example.com/', 'a second address'],
    ['-d {} -d {}', 'a second body'],
    ['-d a=b', 'the body is not a JSON object'],
    [`-d '{"a":1,"a":2}'`, 'JSON with a key twice in one object'],
    [`-d '{"a":'`, 'the JSON breaks off'],
    [`-d '{"a":1} {}'`, 'malformed JSON'],
    [`-d '[]'`, 'the body is not a JSON object'],
    ['-d "{\\"a\\": $N}"', 'malformed JSON'],
    ['-d "$BODY"', 'the body is not a JSON object'],
    [`-d '{"a":"\\ud800"}'`, 'half a surrogate pair'],
    ['-d $\'{"a":"\\ud800"}\'', 'half a surrogate pair'],
    [`-d '${'{"a":'.repeat(65)}1${'}'.repeat(65)}'`, 'JSON nested deeper than 64'],
    ["-H 'host: evil.example'", 'a host next to that of the address'],
    ["-H 'content-encoding: gzip'", 'the body is encoded'],
    ["-H 'x-convoy-version: $V'", 'not a date'],
    ['-H x', 'a header without a name'],
  ])('with %s is refused', (more, expected) => {
    const fault = faultOf(`curl -X PUT ${at} ${more}`)
    expect(fault).toContain(expected)
    expect(fault).toMatch(/^request\.txt:\d+:\d+: /)
    expect(fault).not.toContain(key)
  })

  it.each<[string, string]>([
    [`curl ${at}`, 'not a write: a GET changes nothing'],
    [`curl -X get ${at}`, 'the method is not known'],
    [`curl -X "$M" ${at}`, 'the method is a variable'],
    ['curl -X PUT -d {}', 'the command has no address'],
    ['curl -X PUT ftp://gw.example.com/projects/p', 'not one of HTTP'],
    ['curl -X PUT file:///etc/passwd', 'not one of HTTP'],
    ['curl -X PUT https:///projects/p', 'has no host'],
    ["curl -X PUT 'https://gw.example.com/projects/{a,b}'", 'a brace or a bracket'],
    ["curl -X PUT 'https://gw.example.com/projects/a b'", 'a character that no address has'],
    ['curl -X PUT https://gw.example.com:99999/projects/p', 'the host of the address is not valid'],
    ['wget --method PUT https://gw.example.com/', 'this is not a request'],
    ['sudo curl -X PUT https://gw.example.com/', 'this is not a request'],
    ['KEY=x curl -X PUT https://gw.example.com/', 'this is not a request'],
  ])('%s is refused', (text, expected) => {
    expect(faultOf(text)).toContain(expected)
  })

  it('names the line and the column of what is wrong', () => {
    expect(faultOf(`curl -X PUT \\\r\n  ${at} \\\r\n  -d @body.json`)).toBe(
      'request.txt:3:6: the body is in a file | hookdrift runs and reads nothing: put the body into the text, or give the request as JSON',
    )
  })

  it.each<[string, string]>([
    [`curl -X PUT ${at} -d '{\n  "name": "a",\n}'`, '3:1'],
    [`curl -X PUT ${at} \\\n  -d'{"name": "a" "b"}'`, '2:19'],
    [`curl -X PUT ${at} \\\n  -d "{\\"name\\": \\"a\\" 1}"`, '2:6'],
    [`PUT ${path} HTTP/1.1\n\n{\n  "name": "a"\n  "b": 1\n}`, '5:3'],
    [`{\n  "method": "PUT",\n  name: 1\n}`, '3:3'],
  ])('of %j names where the JSON is malformed, as far as that is known', (text, position) => {
    expect(faultOf(text)).toContain(`request.txt:${position}: the request's JSON: malformed JSON`)
  })

  const hostile = fc.oneof(
    fc.constantFrom(...["'", '"', '\\', '$', '`', '\n', ' ', '#', '*', '{}', '${HOME}', 'h0:1;', key]),
    fc.string({ unit: anyCharacter }),
  )

  it('that hookdrift prints is read as it was, placeholders and all', () => {
    const text = fc.array(hostile, { maxLength: 4 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(fc.dictionary(text, fc.oneof(text, fc.constant('the secret')), { maxKeys: 5 }), (object) => {
        const body = bodyOf(object, (part) => (part === 'the secret' ? [{ name: 'KEY' }] : part === '' ? [] : [part]))
        const url = [{ name: 'BASE' }, path]
        const printed = curlLines({ method: 'PUT', url, headers: { Authorization: ['Bearer ', { name: 'K' }] }, body })
        const request = readRequest(printed.join('\n'), 'x')
        expect(request).toMatchObject({ method: 'PUT', host: null, path: [path], body })
      }),
      { numRuns: tries(400, { locally: 100 }) },
    )
  })

  it('is found in what restore prints for people, where it prints one', () => {
    const printed = `As of run 2, 2026-12-01 00:47 UTC.\nacme/p endpoint "x": back.\n\nUpdate the endpoint:\n`
    const command = `curl --request PUT \\\n  --header 'Authorization: Bearer '"\${KEY:?}" \\\n  --data-raw ${json} \\\n  --url '${at}'\n`
    const rest = "\nSet these variables first.\nKEY: isn't known\n"
    expect(read(`${printed}${command}${rest}`)).toEqual(put)
    expect(faultOf(`${printed}${command}\n2. Then\n${command}${rest}`)).toContain('several requests')
    expect(faultOf(`${printed}${rest}`)).toContain('the answer has no request')
  })

  it('is split as a shell splits it', () => {
    const part = fc.oneof(
      hostile.map((text) => `'${text.replaceAll(/['\0\r]/g, '')}'`),
      hostile.map((text) => `"${text.replaceAll(/["\\$`\0\r]/g, (char) => (char < ' ' ? '' : `\\${char}`))}"`),
      fc.constantFrom("$'a\\tb\\'\\n\\u00e9'", '\\ ', '\\\\', '\\\n', "\\'", 'a=b,c', '\\$HOME', '""', '$.', '~x'),
    )
    const lists = fc.array(fc.array(part, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 20 })
    fc.assert(
      fc.property(lists, (words) => {
        const line = words.map((parts) => `x${parts.join('')}`).join(' ')
        const input = `printf '%s\\0' ${line}\n`
        const { stdout, status } = spawnSync('bash', [], { input, encoding: 'utf8', env: { LC_ALL: 'C.UTF-8' } })
        expect(status).toBe(0)
        const [, , ...split] = splitCommand(new RequestText(input, 'x'), 0)
        expect(split.map(({ pieces }) => pieces.join(''))).toEqual(stdout.split('\0').slice(0, -1))
      }),
      { numRuns: tries(60, { locally: 15 }) },
    )
  })
})

describe('an HTTP request', () => {
  const head = `PUT ${path}`
  it.each<[string, string, Partial<ReturnType<typeof read>>]>([
    [
      'as it is sent',
      `${head}?key=${key} HTTP/1.1\r\nHost: gw.example.com\r\nAuthorization: Bearer ${key}\r\n\r\n{"name":"a"}\r\n`,
      put,
    ],
    ['without a version', `${head}\nHost: gw.example.com:443\n\n{"name":"a"}`, put],
    ['without a host', `${head} HTTP/1.1\n\n{"name":"a"}`, { ...put, host: null }],
    [
      'of an editor',
      `@base = https://x\n### rename\n# @name x\nPUT https://u:${key}@gw.example.com${path}\n  ?a=b\nContent-Type: application/json\n\n{"name":"a"}\n\n###\n`,
      put,
    ],
    [
      'with variables of an editor',
      `PUT {{base-url}}/projects/{{p}}/endpoints/e\n\n{"name": "{{name}}"}`,
      { host: null, path: '/projects/${p}/endpoints/e', body: { name: '${name}' } },
    ],
    ['with braces that are text', `${head} HTTP/1.1\n\n{"name": "{{name}}"}`, { body: { name: '{{name}}' } }],
    ['without a body', `DELETE ${path} HTTP/1.1\nHost: gw.example.com`, { method: 'DELETE', body: undefined }],
    ['with an address and a host', `PUT ${at} HTTP/1.1\nHost: evil.example\n\n{}`, { host: 'gw.example.com' }],
    [
      'with the version of the interface',
      `${head} HTTP/1.1\nx-convoy-version: 2025-11-24\n\n{}`,
      { version: '2025-11-24' },
    ],
  ])('%s is read', (_, text, expected) => {
    expect(read(text)).toMatchObject(expected)
  })

  it.each<[string, string]>([
    [`GET ${path} HTTP/1.1\n\n`, 'not a write: a GET changes nothing'],
    [`${head} HTTP/1.1\n{"name":"a"}`, 'request.txt:2:1: a header without a name and a colon'],
    [`${head}\n\n< ./body.json`, 'request.txt:3:1: a file or a script belongs to the request'],
    [`${head}\n\n{}\n> {% client.log(1) %}`, 'a file or a script'],
    [`${head}\n\n{}\n### two\nPUT /projects/q\n`, 'request.txt:5:1: a second request begins here'],
    [`${head} HTTP/1.1\nTransfer-Encoding: chunked\n\n2\n{}\n0\n`, 'the body is encoded'],
    [`${head} HTTP/1.1\nHost: a b\n\n{}`, 'the host of the address is not valid'],
  ])('%j is refused', (text, expected) => {
    expect(faultOf(text)).toContain(expected)
  })
})

describe('JSON', () => {
  const body = { name: 'a' }
  const row = {
    project: 'acme/p',
    method: 'PUT',
    url: '${ACME_URL}/api/v1/projects/p1/endpoints/e1',
    headers: { Authorization: 'Bearer ${ACME_KEY}', 'x-convoy-version': '2025-11-24' },
    body: { name: '${NAME}', owner_id: '${NAME}', '${NAME}': 1 },
    placeholders: [
      { name: 'ACME_URL', in: 'url', path: null, hint: '' },
      { name: 'ACME_KEY', in: 'header', path: null, hint: '' },
      { name: 'NAME', in: 'body', path: '/owner_id', hint: '' },
    ],
  }
  const answer = { schema: 'hookdrift.restore/2', run: null, rows: [row] }

  it.each<[string, JsonObject, Partial<ReturnType<typeof read>>]>([
    ['with an address', { method: 'PUT', url: at, body }, put],
    ['with a path', { method: 'PUT', path, headers: { Authorization: key }, body }, { ...put, host: null }],
    ['without a body', { method: 'DELETE', url: at, body: null }, { method: 'DELETE', body: undefined }],
    ['of a row', row, { host: null, path, version: '2025-11-24' }],
    ['of an answer with one row', answer, { host: null, path, body: row.body }],
  ])('%s is read', (_, value, expected) => {
    expect(read(JSON.stringify(value, null, 2))).toMatchObject(expected)
  })

  it('has placeholders where its list says so, and text elsewhere', () => {
    const request = readRequest(JSON.stringify(answer), 'x')
    expect(request.body && placeholdersIn(request.body)).toEqual([{ name: 'NAME', path: '/owner_id', is: 'value' }])
  })

  it.each<[string, unknown, string]>([
    ['a body alone', { name: 'a', url: at }, 'no `method`, or no `url`'],
    ['an address and a path', { method: 'PUT', url: at, path }, 'a `url` and a `path`'],
    ['a body as text', { method: 'PUT', url: at, body: '{}' }, '`body` is not an object'],
    ['headers as a list', { method: 'PUT', url: at, headers: [] }, '`headers` is not an object'],
    [
      'a header that is not a text',
      { method: 'PUT', url: at, headers: { a: 1 } },
      'a value in `headers` is not a text',
    ],
    ['a list', [{ method: 'PUT', url: at }], 'a list of several requests'],
    ['another answer', { schema: 'hookdrift.violations/1', rows: [] }, 'the answer of another command'],
    ['two rows', { ...answer, rows: [row, row] }, "several requests | give one of them: jq '.rows[0]'"],
    ['rows that were left out', { ...answer, omitted: 2 }, 'several requests'],
    ['no row', { ...answer, rows: [] }, 'has no request'],
    ['digits that may be a number', { ...row, body: { a: '12345678901234567890' } }, 'may be a number or a text'],
    [
      'a list of placeholders that is not one',
      { ...row, placeholders: [{ name: 'a.b', in: 'url' }] },
      '`placeholders`',
    ],
    ['placeholders that are no list', { ...row, placeholders: {} }, '`placeholders` is not a list'],
    ['a read', { method: 'GET', url: at }, 'not a write'],
    ['a host header', { method: 'PUT', url: at, headers: { HOST: 'evil.example' } }, 'a host next to'],
  ])('with %s is refused', (_, value, expected) => {
    expect(faultOf(JSON.stringify(value))).toContain(expected)
  })
})

describe('a text', () => {
  it.each<[string, string | Buffer, string]>([
    ['that is empty', ' \n\n', 'request.txt:1:1: the text is empty'],
    ['of comments alone', '# nothing\n', 'the text is empty'],
    ['with a NUL', 'curl\0', 'request.txt:1:5: a NUL'],
    ['in UTF-16', Buffer.from('curl', 'utf16le'), 'a NUL'],
    ['that is not UTF-8', Buffer.from([0x63, 0xff]), 'it is not UTF-8'],
    ['with half a surrogate pair', '\ud800', 'it is not UTF-8'],
    ['that is too large', Buffer.alloc(16 * 1024 * 1024 + 1, 0x20), 'larger than 16 MiB'],
    ['of prose', `my key is ${key}`, 'this is not a request'],
    ['that is malformed JSON', `{"method": ${key}`, 'the JSON breaks off'],
  ])('%s is refused', (_, text, expected) => {
    const fault = faultOf(text)
    expect(fault).toContain(expected)
    expect(fault).not.toContain(key)
  })

  it('with a key anywhere shows it in no message, and keeps it in a path or a body alone', () => {
    const texts = [
      `curl -sS -X PUT 'https://u:p@gw.example.com${path}?a=b#c' -H 'Authorization: Bearer x' -u a:b -d ${json}`,
      `PUT ${path}?a=b HTTP/1.1\nHost: gw.example.com\nAuthorization: Bearer x\n\n{"name":"a"}`,
      JSON.stringify({ method: 'PUT', url: at, headers: { Authorization: 'x' }, body: { name: 'a' } }),
    ]
    for (const text of texts) {
      for (let index = 0; index <= text.length; index++) {
        const planted = text.slice(0, index) + key + text.slice(index)
        const result = attempt(planted)
        if (typeof result === 'string') expect(result).not.toContain(key)
        else {
          const { path: kept, body: sent, host, ...others } = result
          expect(JSON.stringify(others)).not.toContain(key)
          // A host is not a place for a key; it is compared in lower case.
          expect([kept, sent, host]).toBeDefined()
        }
      }
    }
  })

  it.each<[string, string]>([
    ['a long text', `curl -X PUT ${at} -d '{"a":"${'x'.repeat(10_000_000)}"}'`],
    ['escapes', `curl -X PUT ${at} -d "{\\"a\\":\\"${'\\\\\\"'.repeat(2_500_000)}\\"}"`],
    ["escapes in $'…'", `curl -X PUT ${at} -d $'{"a":"${'\\x61'.repeat(2_500_000)}"}'`],
    ['dollars', `curl -X PUT ${at} -d "{\\"a\\":\\"${'$ '.repeat(5_000_000)}\\"}"`],
    ['variables', `curl -X PUT ${at} -d "{\\"a\\":\\"${'$A'.repeat(200_000)}\\"}"`],
    ['words', `curl -X PUT ${at} ${'-s '.repeat(3_000_000)}`],
    ['an address', `curl -X PUT 'https://gw.example.com/${'a/'.repeat(5_000_000)}'`],
    ['braces of an editor', `PUT /projects/p\n\n{"a":"${'{{'.repeat(5_000_000)}"}`],
    ['headers', `PUT /projects/p\n${'a: b\n'.repeat(2_000_000)}\n{}`],
    ['lines', `${'\n# x'.repeat(2_500_000)}`],
    ['one line', 'A'.repeat(10_000_000)],
  ])(
    'of ten megabytes with %s takes a time that grows as its length does',
    (_, text) => {
      expect(attempt(text)).toBeDefined()
    },
    20_000,
  )
})

function attempt(text: string) {
  try {
    return readRequest(text, 'x')
  } catch (thrown) {
    if (!(thrown instanceof AuditError)) throw thrown
    return `${thrown.message} ${thrown.advice}`
  }
}

describe('the target of a write', () => {
  const targetOf = (method: string, target: string) => {
    const { kind, projectUid, uid, subscriptionUid, action, isDashboard } = readTarget(
      readRequest(`${method} ${target} HTTP/1.1\n\n`, 'r'),
    )
    return [kind, projectUid, uid, subscriptionUid, action, isDashboard]
  }

  it.each<[string, string, unknown[]]>([
    ['POST', '/api/v1/projects', ['project', null, null, null, null, false]],
    ['PUT', '/api/v1/projects/p', ['project', 'p', 'p', null, null, false]],
    ['DELETE', '/gw/projects/p', ['project', 'p', 'p', null, null, false]],
    ['POST', '/api/v1/projects/p/sources', ['source', 'p', null, null, null, false]],
    ['PUT', '/api/v1/projects/p/sources/s%2d1', ['source', 'p', 's-1', null, null, false]],
    ['PUT', '/api/v1/projects/p/endpoints/projects', ['endpoint', 'p', 'projects', null, null, false]],
    ['PUT', '/projects/x/api/v1/projects/p/endpoints/e', ['endpoint', 'p', 'e', null, null, false]],
    ['PUT', '/api/v1/projects/p/endpoints/e/pause', ['endpoint', 'p', 'e', null, 'pause', false]],
    ['PUT', '/api/v1/projects/p/endpoints/e/expire_secret', ['endpoint', 'p', 'e', null, 'expire_secret', false]],
    ['POST', '/ui/organisations/o/projects/p/endpoints/e/activate', ['endpoint', 'p', 'e', null, 'activate', true]],
    [
      'PUT',
      '/api/v1/projects/p/subscriptions/s/toggle_status',
      ['subscription', 'p', 's', null, 'toggle_status', false],
    ],
    ['POST', '/api/v1/projects/p/subscriptions/s/filters', ['filter', 'p', null, 's', null, false]],
    ['DELETE', '/api/v1/projects/p/subscriptions/s/filters/f', ['filter', 'p', 'f', 's', null, false]],
  ])('of %s %s', (method, target, expected) => {
    expect(targetOf(method, target)).toEqual(expected)
  })

  it.each<[string, string, string]>([
    ['PATCH', '/api/v1/projects/p/endpoints/e', 'not a request that hookdrift can preview'],
    ['PUT', '/api/v1/projects/p/endpoints', 'not a request that hookdrift can preview'],
    ['POST', '/api/v1/projects/p/endpoints/e/pause', 'not a request that hookdrift can preview'],
    ['PUT', '/api/v1/projects/p/endpoints/e/', 'a slash ends the address'],
    ['PUT', '/api/v1/projects/p/endpoints/..', 'the uid of the endpoint cannot be one'],
    ['PUT', '/api/v1/projects/p/endpoints/%2e%2e', 'the uid of the endpoint cannot be one'],
    ['PUT', '/api/v1/projects/p/endpoints/a%2fb', 'the uid of the endpoint cannot be one'],
    ['PUT', '/api/v1/projects/p/endpoints/%zz', 'the uid of the endpoint cannot be one'],
    ['PUT', '/api/v1/projects/p/endpoints/%00', 'the uid of the endpoint cannot be one'],
    ['PUT', '/api/v1/projects/{{p}}/endpoints/e', 'a variable is in place of the uid of the project'],
    ['PUT', '/api/v1/projects/p/endpoints/{{e}}', 'a variable is in place of the uid of the endpoint'],
    [
      'PUT',
      '/api/v1/projects/p/subscriptions/s/filters/x{{e}}',
      'a variable is in place of the uid of the row of filters',
    ],
    ['PUT', '/api/v1/projects//endpoints/e', 'not a request that hookdrift can preview'],
    ['POST', '/api/v1/projects/p/subscriptions/s/filters/bulk_update', 'not a request that hookdrift can preview'],
    ['POST', '/api/v1/projects/p/eventdeliveries/batchretry', 'hookdrift impact'],
    ['PUT', '/api/v1/projects/p/events/e/replay', 'hookdrift impact'],
    ['POST', '/portal-api/endpoints', 'not a request that hookdrift can preview'],
    ['PUT', '/', 'not a request that hookdrift can preview'],
    ['PUT', '/api/v1/endpoints/', 'not a request that hookdrift can preview'],
  ])('%s %s is refused', (method, target, expected) => {
    let message = 'not refused'
    try {
      targetOf(method, target)
    } catch (thrown) {
      if (thrown instanceof AuditError) message = `${thrown.message} ${thrown.advice}`
    }
    expect(message).toContain(expected)
    expect(message).toMatch(/^r:1:[5-8]: /)
  })
})
