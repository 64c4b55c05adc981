import { memberOf } from '../../model/json.ts'
import { isHarmless } from '../../model/secrets/harmless-text.ts'
import type { Pieces } from './pieces.ts'
import { type RequestHeaders, readHeader } from './request-headers.ts'
import { flatten, inText, type RequestParts, type RequestText, readAddress, readBody } from './request-text.ts'
import { splitCommand, type Word } from './split-command.ts'

/** What an option means for the request that is sent; `nothing`: only how it is sent, or what is done with the answer. */
type OptionMeaning =
  | 'method'
  | 'body'
  | 'file or body'
  | 'header'
  | 'address'
  | 'nothing'
  | { readonly refused: string }

interface CurlOption {
  readonly takesValue: boolean
  readonly means: OptionMeaning
}

const flag = { takesValue: false, means: 'nothing' } as const
const setting = { takesValue: true, means: 'nothing' } as const
const body = { takesValue: true, means: 'file or body' } as const
const refused = (why: string): CurlOption => ({ takesValue: false, means: { refused: why } })

/** By long name. One that is not here may change what is sent. */
const options: Readonly<Record<string, CurlOption>> = {
  request: { takesValue: true, means: 'method' },
  url: { takesValue: true, means: 'address' },
  header: { takesValue: true, means: 'header' },
  'data-raw': { takesValue: true, means: 'body' },
  ...optionsOf(body, 'data data-ascii data-binary json'),
  ...optionsOf(
    flag,
    'silent show-error fail fail-with-body fail-early insecure location include verbose compressed no-buffer progress-bar',
    'no-progress-meter no-keepalive globoff http1.0 http1.1 http2 http2-prior-knowledge http3 tlsv1 tlsv1.2 tlsv1.3 ssl-reqd',
    'basic digest ntlm negotiate anyauth netrc netrc-optional ipv4 ipv6 remote-name remote-header-name remove-on-error',
    'create-dirs retry-connrefused retry-all-errors tcp-nodelay disable styled-output no-styled-output trace-time',
  ),
  ...optionsOf(
    setting,
    'max-time connect-timeout output output-dir write-out retry retry-delay retry-max-time user-agent referer cookie',
    'cookie-jar user proxy proxy-user noproxy cacert capath cert cert-type key key-type pass ciphers dump-header stderr',
    'trace trace-ascii limit-rate speed-limit speed-time keepalive-time interface max-redirs oauth2-bearer netrc-file proto',
    'tls-max dns-servers url-query',
  ),
  get: refused('puts the body into the address'),
  head: refused('asks for headers alone'),
  next: refused('begins a second request'),
  'upload-file': refused('sends a file'),
  config: refused('reads a file'),
  ...optionsOf(refused('sends a form, and the gateway takes JSON'), 'form form-string data-urlencode'),
}

/** The letter of an option, and its long name. */
const shortNames: ReadonlyMap<string, string> = new Map(
  [
    'X request H header d data s silent S show-error f fail k insecure L location i include v verbose N no-buffer',
    '# progress-bar g globoff 0 http1.0 1 tlsv1 n netrc 4 ipv4 6 ipv6 O remote-name J remote-header-name q disable',
    'm max-time o output w write-out A user-agent e referer b cookie c cookie-jar u user x proxy U proxy-user E cert',
    'D dump-header G get I head : next T upload-file K config F form',
  ].flatMap((line) =>
    [...line.matchAll(/(\S) (\S{1,30})/g)].map(([, letter = '', name = '']) => [letter, name] as const),
  ),
)

function optionsOf(option: CurlOption, ...names: readonly string[]): Record<string, CurlOption> {
  return Object.fromEntries(names.flatMap((list) => list.split(' ')).map((name) => [name, option]))
}

/** An option of a command, as it is written, with its value; `name` is undefined for an argument. */
interface Argument extends Word {
  readonly option: CurlOption | undefined
}

/**
 * Reads a `curl` command that begins at an index of the text.
 * @throws AuditError.usage for what would change the request in a way that the text does not show
 */
export function readCurl(source: RequestText, from: number): RequestParts {
  const [, ...words] = splitCommand(source, from)
  let method: { readonly at: number; readonly name: Pieces } | undefined
  let address: Word | undefined
  let data: Word | undefined
  let headers: RequestHeaders = { version: null, host: undefined }
  for (const { at, pieces, option } of argumentsOf(source, words)) {
    const means = option?.means ?? 'address'
    if (means === 'method') method = { at, name: pieces }
    if (means === 'address') {
      if (address !== undefined) throw source.fault(at, 'a second address', 'give one request')
      address = { at, pieces }
    }
    if (means === 'body' || means === 'file or body') {
      const isFile = means === 'file or body' && flatten(pieces).startsWith('@')
      if (isFile) throw source.fault(at, 'the body is in a file', inText)
      if (data !== undefined) throw source.fault(at, 'a second body', 'write the whole body once')
      data = { at, pieces }
    }
    if (means === 'header') {
      if (flatten(pieces).startsWith('@')) throw source.fault(at, 'the headers are in a file', inText)
      headers = readHeader(source, at, pieces, headers)
    }
  }
  if (address === undefined) throw source.fault(from, 'the command has no address', 'name the resource in an address')
  if (headers.host !== undefined) {
    throw source.fault(headers.host.at, 'a host next to that of the address', 'leave out the header')
  }
  return {
    method: method ?? { at: from, name: [data === undefined ? 'GET' : 'POST'] },
    addressAt: address.at,
    ...readAddress(source, address.at, address.pieces),
    version: headers.version,
    body: data && readBody(source, data.at, data.pieces),
  }
}

/** Options with their values, and arguments. */
function argumentsOf(source: RequestText, words: readonly Word[]): readonly Argument[] {
  const found: Argument[] = []
  let next = 0
  const withValue = (option: CurlOption, at: number, rest: Pieces | undefined): Argument => {
    if (rest !== undefined) return { at, pieces: rest, option }
    const word = words[next++]
    if (word === undefined) throw source.fault(at, 'the option has no value')
    return { ...word, option }
  }
  while (next < words.length) {
    const word = words[next++]
    if (word === undefined) break
    const { at, pieces } = word
    const [first = '', ...rest] = pieces
    if (typeof first !== 'string' || !first.startsWith('-')) {
      found.push({ at, pieces, option: undefined })
    } else if (first.startsWith('--')) {
      const equals = first.indexOf('=')
      const name = first.slice(2, equals < 0 ? undefined : equals)
      const value = equals < 0 ? undefined : [first.slice(equals + 1), ...rest]
      const option = knownOption(source, at, `--${name}`, equals < 0 && rest.length > 0 ? undefined : name)
      if (option.takesValue) found.push(withValue(option, at, value))
      else if (value !== undefined) throw source.fault(at, 'the option takes no value')
    } else {
      found.push(...readCluster(source, word, withValue))
    }
  }
  return found
}

/** Short options in one word: `-sSXPUT`. */
function readCluster(
  source: RequestText,
  { at, pieces: [first = '', ...rest] }: Word,
  withValue: (option: CurlOption, at: number, rest: Pieces | undefined) => Argument,
): readonly Argument[] {
  if (typeof first !== 'string' || first === '-') throw source.fault(at, 'an option without a name')
  for (let index = 1; index < first.length; index++) {
    const letter = first.charAt(index)
    const option = knownOption(source, at, `-${letter}`, shortNames.get(letter))
    if (!option.takesValue) continue
    const value = [...(index + 1 < first.length ? [first.slice(index + 1)] : []), ...rest]
    return [withValue(option, at, value.length === 0 ? undefined : value)]
  }
  if (rest.length > 0) throw source.fault(at, 'a variable among options', 'write the options that it holds')
  return []
}

/** An option that may be named in a message is a letter, or a few plain words: a key may be where an option belongs. */
function knownOption(source: RequestText, at: number, written: string, name: string | undefined): CurlOption {
  const option = name === undefined ? undefined : memberOf(options, name)
  const shown =
    /^-(?:[A-Za-z]|-[a-z]{1,14}(?:-[a-z]{1,14}){0,3})$/.test(written) && isHarmless(written) ? ` ${written}` : ''
  if (option === undefined) {
    throw source.fault(
      at,
      `the option${shown} of curl is not known`,
      'leave it out where it does not change what is sent',
    )
  }
  if (typeof option.means === 'object')
    throw source.fault(at, `the option${shown} of curl ${option.means.refused}`, inText)
  return option
}
