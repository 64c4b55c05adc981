import { describe, expect, it } from 'vitest'
import { findAssigned } from '../../src/model/secrets/assigned-secrets.ts'
import { replaceSecrets } from '../../src/model/secrets/replace-secrets.ts'

const seal = (text: string) => replaceSecrets(text, (secret) => `<${secret.length}>`, [findAssigned])

describe('a value behind the name of a secret', () => {
  it.each([
    ['export DB_PASS=swordfish', 'export DB_PASS=<9>'],
    ['DB_PW=swordfish', 'DB_PW=<9>'],
    ['dbPass: swordfish', 'dbPass: <9>'],
    ['pass: swordfish', 'pass: <9>'],
    ['PIN: 1234', 'PIN: <4>'],
    ['mysqldump --password swordfish orders', 'mysqldump --password <9> orders'],
    ['mysqldump --password=swordfish orders', 'mysqldump --password=<9> orders'],
    ['deploy --auth-token swordfish', 'deploy --auth-token <9>'],
    ['mysql -u root -p swordfish', 'mysql -u root -p <9>'],
    ['curl -u admin:swordfish https://a.example/', 'curl -u admin:<9> https://a.example/'],
    ['curl --user admin:swordfish https://a.example/', 'curl --user admin:<9> https://a.example/'],
    ['<password>swordfish</password>', '<password><9></password>'],
    ['<wsse:Password>sword fish</wsse:Password>', '<wsse:Password><10></wsse:Password>'],
    ['<password><![CDATA[swordfish]]></password>', '<password><![CDATA[<12></password>'],
    ['<user password="swordfish"/>', '<user password="<9>"/>'],
    ['<add key="DbPassword" value="swordfish"/>', '<add key="DbPassword" value="<9>"/>'],
    ['- name: DB_PASSWORD\n  value: swordfish', '- name: DB_PASSWORD\n  value: <9>'],
    ['**Password:** `swordfish`', '**Password:** `<9>`'],
    ['**Password**: swordfish', '**Password**: <9>'],
    ['| password | x1y2z3 |', '| password | <6> |'],
    ['password - x1y2z3', 'password - <6>'],
    ['password -> swordfish', 'password -> <9>'],
    ['password → swordfish', 'password → <9>'],
    ["'password' => 'swordfish'", "'password' => '<9>'"],
    ['{"password":"swordfish"}', '{"password":"<9>"}'],
    ['{\\"password\\":\\"swordfish\\"}', '{\\"password\\":\\"<10>"}'],
    ['auth:\n  password: swordfish\n', 'auth:\n  password: <9>\n'],
    ['passphrase "swordfish"', 'passphrase "<9>"'],
    ['password: “swordfish”', 'password: “<9>”'],
    ['login: admin/x1y2z3', 'login: admin/<6>'],
    ['credentials admin/x1y2z3', 'credentials admin/<6>'],
    ['login admin:x1y2z3', 'login admin:<6>'],
    ['Accès : admin/x1y2z3', 'Accès : admin/<6>'],
    ['compte: admin:x1y2z3', 'compte: admin:<6>'],
    ['cuenta admin/x1y2z3', 'cuenta admin/<6>'],
    ['basic: admin:x1y2z3', 'basic: admin:<6>'],
    ['run "-p swordfish"', 'run "-p <9>"'],
    ['the password for the database of orders is x1y2z3', 'the password for the database of orders is <6>'],
    ['API key (prod): swordfish', 'API key (prod): <9>'],
    ['Server=db;Password=sword;fish;Encrypt=yes', 'Server=db;Password=<22>'],
    ['?token=abcd&v=2', '?token=<8>'],
    ['AccountKey=swordfish', 'AccountKey=<9>'],
    ['Authorization: Token swordfish', 'Authorization: Token <9>'],
  ])('is found: %s', (text, sealed) => {
    expect(seal(text)).toBe(sealed)
  })

  it.each([
    ['German', 'Passwort: swordfish'],
    ['German', 'API-Schlüssel: swordfish'],
    ['German', 'Kennwort = swordfish'],
    ['German', 'die Zugangsdaten: swordfish'],
    ['French', 'mot de passe : swordfish'],
    ['French', "clé d'API : swordfish"],
    ['French', 'mdp: swordfish'],
    ['Spanish', 'contraseña: swordfish'],
    ['Spanish', 'clave secreta: swordfish'],
    ['Spanish', 'clave: swordfish'],
    ['Spanish', 'llave de acceso: swordfish'],
    ['Spanish', 'Llave API = swordfish'],
    ['Italian', "parola d'ordine: swordfish"],
    ['Italian', 'chiave API: swordfish'],
    ['Italian', 'chiave segreta: swordfish'],
    ['Portuguese', 'senha: swordfish'],
    ['Portuguese', 'palavra-passe: swordfish'],
    ['Portuguese', 'chave de acesso: swordfish'],
    ['Dutch', 'wachtwoord: swordfish'],
    ['Polish', 'hasło: swordfish'],
    ['Russian', 'пароль: swordfish'],
    ['Japanese', 'パスワード: swordfish'],
  ])('is found in %s: %s', (_, text) => {
    expect(seal(text)).toBe(text.replace('swordfish', '<9>'))
  })

  it.each([
    'the password is required',
    'All tests pass: green since May',
    'docker run -p 8080:80 orders',
    'docker run -p 5432:5432/tcp orders',
    'mkdir -p /var/lib/orders',
    'curl -u admin https://a.example/',
    'auth: basic/bearer',
    'login: github/google',
    'users: create/update/delete',
    'access: read/write',
    'token-service:8443',
    'use <password> to log in',
    'unexpected token "orders" in JSON',
    'use the --token option to log in',
    '| user | password | host |',
    'the primary key: order',
    'sort key: created_at',
    'https://a.example/users/orders:created',
    'Schlüssel: order',
    'clé de tri : order',
    'user.created: v2',
  ])('is not where a text says something else: %s', (text) => {
    expect(seal(text)).toBe(text)
  })

  it('is found once: a sealed text stays the same', () => {
    const replace = () => `sealed:${'0'.repeat(32)}`
    for (const text of ['password: swordfish', '-p swordfish', '<password>swordfish</password>', 'login: admin/x1y2']) {
      const sealed = replaceSecrets(text, replace)
      expect(sealed).not.toBe(text)
      expect(replaceSecrets(sealed, replace)).toBe(sealed)
    }
  })

  it.each(['password: ', '<password>', '--password ', 'login/', 'pass | ', 'key "', "mot de passe '", '(password '])(
    'takes one pass in a text of many %s',
    (piece) => {
      expect(() => seal(piece.repeat(65_536 / piece.length))).not.toThrow()
    },
  )
})
