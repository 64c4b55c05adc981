import { describe, expect, it } from 'vitest'
import { skipHarmless } from '../../src/inventory/seal-text.ts'
import type { Sealer } from '../../src/inventory/sealer.ts'
import { credentials, isSecretName, mayHoldCredential, mayHoldSecretName } from '../../src/secrets/known-secrets.ts'

const sealer: Sealer = { keyId: '', seal: () => 'sealed:masked' }

/** Counts how often it searches a text. */
function counting() {
  const searched: string[] = []
  const sealText = skipHarmless((text, { seal }) => {
    searched.push(text)
    return text.replace('hunter2', seal)
  })
  return { searched, sealText: (text: string) => sealText(text, sealer) }
}

describe('a repeated text', () => {
  it('is not searched again when nothing was sealed in it', () => {
    const { searched, sealText } = counting()
    expect([1, 2].map(() => sealText('orders of all tenants'))).toEqual(Array(2).fill('orders of all tenants'))
    expect(searched).toHaveLength(1)
  })

  it.each([
    ['it held a secret', 'the password is hunter2'],
    ['it holds a seal', 'the password is sealed:masked'],
    ['it is short', 'orders'],
    ['it is long', 'orders '.repeat(20)],
  ])('is searched again when %s', (_, text) => {
    const { searched, sealText } = counting()
    const sealed = text.replace('hunter2', 'sealed:masked')
    expect([1, 2].map(() => sealText(text))).toEqual([sealed, sealed])
    expect(searched).toHaveLength(2)
  })

  it('is searched again after thousands of others', () => {
    const { searched, sealText } = counting()
    sealText('orders of all tenants')
    for (let number = 0; number < 5000; number++) sealText(`orders of the tenant ${number}`)
    sealText('orders of all tenants')
    expect(searched.filter((text) => text === 'orders of all tenants')).toHaveLength(2)
  })
})

describe('the quick check', () => {
  const tail = 'Zk3xQ9vT2mLw8RfY7cHb4NsJ6pDg1aKe5u0'
  const small = 'e3f9a1c07b52d864'.repeat(2)
  const forms = [
    ...['whsec_', 'rk_', 'sk_live_', 'ghp_', 'gho_', 'github_pat_', 'glpat-', 'xoxb-', 'xoxp-', 'ya29.', 'npm_'],
    ...['xapp-', 'shpat_', 'shpss_', 'AIza'],
  ].map((start) => start + tail)
  it.each([
    ...forms,
    ...['AKIA', 'ASIA'].map((start) => `${start}IOSFODNN7EXAMPLE`),
    `dop_v1_${small}`,
    `12345678:${tail}`,
    `SG.${tail}.${tail}`,
    `CO.${tail.slice(0, 16)}.${tail}`,
    `eyJ${tail}.${tail}`,
    '-----BEGIN PRIVATE KEY-----',
    `Bearer ${tail}`,
    `Basic ${tail}`,
    '//user:pass@host',
    `sk-ant-api03-${tail}`,
    `sk-${tail}`,
    `hvs.${tail}`,
    `pypi-${tail}`,
    `PMAK-${small}`,
    `ATATT3${tail}`,
    `AGE-SECRET-KEY-1${tail.toUpperCase()}`,
    `sq0csp-${tail}`,
    `sq0atp-${tail}`,
    `sq0idp-${tail}`,
    `hf_${tail}`,
    `lin_api_${tail}`,
    `key-${small}`,
    `dapi${small}`,
    `$2b$12$${tail}`,
    `$6$${tail}`,
    `$argon2id$v=19$${tail}`,
    `$scrypt$${tail}`,
    `eyJ${tail}..${tail}.${tail}.${tail}`,
  ])('detects the form of a credential: %s', (text) => {
    expect(text.match(credentials)).not.toBeNull()
    expect(mayHoldCredential(text)).toBe(true)
    expect(mayHoldCredential(`of orders, ${text}`)).toBe(true)
  })

  it.each(
    `authorization cookie credential credentials jwt passcode passphrase privateKey pwd secrets tokens DB_PASSWORD
    accesstoken client_secret passwd2 SigningKey sshkey service_account AccountKey Passwort dbKennwort API-Schlüssel
    ApiSchluessel Geheimnis Zugangsdaten mdp mot-de-passe clé-secrète clé-d'API jeton contraseña clave-de-acceso
    credenciales parola-d'ordine chiave-API segreto credenziali senha palavra-passe chave-de-acesso segredo wachtwoord
    hasło heslo lösenord passord adgangskode salasana şifre пароль 密码 パスワード 비밀번호`.split(/\s+/),
  )('detects names of secrets: %s', (name) => {
    expect(isSecretName(name)).toBe(true)
    expect(mayHoldSecretName(`/v1/${name}/x`)).toBe(true)
  })
})
