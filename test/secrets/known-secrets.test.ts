import { describe, expect, it } from 'vitest'
import {
  credentials,
  isSecretName,
  mayHoldCredential,
  mayHoldSecretName,
} from '../../src/model/secrets/known-secrets.ts'

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
