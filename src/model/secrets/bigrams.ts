/*
 * Written by `npm run learn:bigrams`, from words of an-array-of-english-words (MIT), @faker-js/faker (MIT) and typescript
 * (Apache-2.0). Costs in sixths of a bit, each as the index of its character in `levels`.
 */

export const levels = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** Of 26 letters each: at the beginning of a word, after `a`, after `b`, … */
export const letterCosts =
  'XZXZbdcddkdcYebYxaUbhfj1vlteZZmqfqhqhTbPug6RYUghtwjlPmsuO_u0SnrUxvT4_VfsV33_j_R5kuT6_PVxYdywQwzdfXd6__ok' +
  'RnvjLtrxPwwislSv_Zeqars_kmgmaYjlgqhpiWcQokxOTapjsjpmT-y3QWy4OvyYyuR__UifX37_n7Su2qNmhgV54YncVf_VcmV33_i-' +
  'M11yO467TyzemiQy_ajXaxs_g3YkVdXldy6phYcOXkycVXsg6uyhK0pkNz64X_lpsgRx5yYkVww_0uMvpuQxvuTymaumP6_bccZsr_i_' +
  'PnqfOrptPxqWmnUq_2gfam5_f1Mcu1Nz23Q_1dfuTW_vhvb5__p3TtaUSmUsTukpsfYq_tXShqy_jrmhecfogtltmWZOje-RYdaYexul' +
  'Q0wsQw1cV_wX0wQd_RhbY5_4r_mmy06060l060n05m6l50B06060QnhePrgwR7jkggUq3gaZbpu_jnWuZwRt2fU1YgjoZcyuXPbht7mh' +
  'R1jzNw1dP4xmjqUv_Vddbzw_fscdbeVigtdoiVZSuc_SUX2qyuukKxw0L_c3P6xmvnW__kg4n86_k7MxstO1whP1ql4aUt_dZtl-_yZu' +
  'W6Y9Tm3rRz7wa2aQ7qkMo06xe0UgXeXmhpZrfZYWYV_dWcgmj62pNpmhN9qwRwjincWp8vkjZrm_bh'

/** Of a separator, a small letter, a capital, a digit and a sign each, after every sequence of three of these kinds. */
export const kindCosts =
  'iEQQcuA_h_uFHh_P_9Cb_M_MGkFSMebBytr2BW8_K1YEjTF_ORkFSMedAtp_e0A4_i9lA3XG_MQ_LiD_WCiShgdWB_K_WFf_G_G8' +
  'kFSMe_A___XKFc_g__As_A_pqiEQQcvA_f_tFIh_S__BeyL_MGkFSMeSCfxb9BX__HimG7TF_ORkFSMezAf3rgkAl_cqlBxXG_MQ' +
  '_LiD_WDhRjldRC_KpdEl1G_GukFSMe_A___XKFc_J__Ea_E_OPiEQQcvA_f_tFIh_S__BeyL_MGkFSMefBhpw2BW__LpfDpVG_PO' +
  'kFSMexAit-QfCt_SpgB2XG_MQ_LiD_WCiShZbWC_K_oIL0H_FtkFSMe7A___XKFc_Q__CcyC_VWiEQQc_B_Z_4COq_W__BiyL_MG' +
  'kFSMeTCixe2BW8_JbeFoTF_ORkFSMekAjvxRfDW_t_mA_XG_MQ_LiD_XDjQisojA_O_jCd_I_E_kFSMe_A___XKFc_o__A0yC_VW' +
  'iEQQcvA_f_tFIh_S__BeyL_MGkFSMeXB4_i2BW8_JndFnTF_ORkFSMejAiuwSgCt_e3lAxXG_MQ_LiD_WCiThkdXB_R_bFN0H_Ft' +
  'kFSMe_A___XKFc_Z__EL6B_de'
