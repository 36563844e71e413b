"""Words that end a reply in Romance languages; written for this project. See `synthetic_words`."""

from __future__ import annotations

from auditor.tuning.synthetic_words import Words

ROMANCE = {
    "fr": Words(
        requests=("Corrige l'import dans {x}.", "Nettoie {x} et ajoute des tests."),
        bodies=(
            "J'ai parcouru {x} et les deux fichiers qui l'utilisent.",
            "L'erreur vient de {x} : une valeur est lue avant d'être définie.",
            "{x} faisait la même chose de trois façons différentes.",
        ),
        announced=(
            "Maintenant je mets à jour {x}.",
            "Je vais ensuite vérifier {x}.",
            "Passons aux tests de {x} :",
            "Je vais réécrire cette partie de {x}.",
            "D'abord, je regarde comment {x} est chargé.",
            "Je continue avec {x}.",
        ),
        partial=(
            "Deux étapes sur quatre sont faites ; la suite est {x}.",
            "C'est la première moitié. Il reste {x} et les tests.",
            "La première partie est en place, {x} n'est pas encore modifié.",
        ),
        asked=(
            "Dois-je aussi modifier {x}, ou le laisser ainsi ?",
            "Laquelle des deux préférez-vous ?",
            "Lancez-le une fois et dites-moi ce que vous voyez.",
            "Il me faut votre clé pour le serveur de test. Pouvez-vous la définir ?",
            "Est-ce que je suis ce plan ?",
        ),
        offered=(
            "Si vous voulez, je peux aussi ajouter des tests pour {x}.",
            "Dites-moi si vous voulez la même chose pour {x}.",
            "Je peux aussi ranger {x} si cela vous aide.",
        ),
        reported=(
            "{x} est corrigé et tous les tests passent.",
            "Terminé. Le changement se trouve dans {x}.",
            "Tout fonctionne comme demandé, rien d'autre n'a changé.",
            "En bref : {x} était la cause, c'est réparé.",
            "C'est commité et poussé.",
            "La réponse est donc non : {x} n'est utilisé nulle part ailleurs.",
        ),
        waits=(
            "La compilation tourne en arrière-plan, je vous dirai quand elle sera finie.",
            "La tâche est lancée, son résultat arrivera tout seul.",
        ),
    ),
    "es": Words(
        requests=("Arregla el import de {x}.", "Ordena {x} y añade pruebas."),
        bodies=(
            "He revisado {x} y los dos archivos que lo usan.",
            "El error viene de {x}: se lee un valor antes de asignarlo.",
            "{x} hacía lo mismo de tres maneras distintas.",
        ),
        announced=(
            "Ahora actualizo {x}.",
            "Voy a revisar {x} a continuación.",
            "Sigo con las pruebas de {x}:",
            "Voy a reescribir esa parte de {x}.",
            "Primero quiero ver cómo se carga {x}.",
            "Paso a {x}.",
        ),
        partial=(
            "Dos de los cuatro pasos están hechos; sigue {x}.",
            "Esa es la primera mitad. Faltan {x} y las pruebas.",
            "La primera parte está lista, {x} aún no está cambiado.",
        ),
        asked=(
            "¿Cambio también {x} o lo dejo así?",
            "¿Cuál de las dos prefieres?",
            "Ejecútalo una vez y dime qué ves.",
            "Necesito tu clave del servidor de pruebas para seguir. ¿Puedes ponerla?",
            "¿Sigo adelante con este plan?",
        ),
        offered=(
            "Si quieres, también puedo añadir pruebas para {x}.",
            "Avísame si quieres lo mismo para {x}.",
            "Puedo ordenar también {x}, solo dímelo.",
        ),
        reported=(
            "{x} está arreglado y pasan todas las pruebas.",
            "Listo. El cambio está en {x}.",
            "Todo funciona como pediste; no hizo falta nada más.",
            "En resumen: {x} era la causa y ya está corregido.",
            "Confirmado y subido.",
            "La respuesta es no: {x} no se usa en ningún otro sitio.",
        ),
        waits=(
            "La compilación corre en segundo plano; avisaré cuando termine.",
            "La tarea está en marcha, su resultado llegará solo.",
        ),
    ),
    "pt": Words(
        requests=("Corrige o import em {x}.", "Arruma {x} e adiciona testes."),
        bodies=(
            "Li {x} e os dois arquivos que o usam.",
            "O erro vem de {x}: um valor é lido antes de ser definido.",
            "{x} fazia a mesma coisa de três maneiras diferentes.",
        ),
        announced=(
            "Agora vou atualizar {x}.",
            "A seguir, verifico {x}.",
            "Agora os testes de {x}:",
            "Vou reescrever essa parte de {x}.",
            "Primeiro quero ver como {x} é carregado.",
            "Passando para {x}.",
        ),
        partial=(
            "Dois dos quatro passos estão prontos; o próximo é {x}.",
            "Essa é a primeira metade. Faltam {x} e os testes.",
            "A primeira parte está no lugar, {x} ainda não foi alterado.",
        ),
        asked=(
            "Devo mudar {x} também ou deixar como está?",
            "Qual das duas você prefere?",
            "Execute uma vez e me diga o que aparece.",
            "Preciso da sua chave do servidor de testes para seguir. Pode definir?",
            "Posso seguir com esse plano?",
        ),
        offered=(
            "Se quiser, também posso adicionar testes para {x}.",
            "Avise se quiser o mesmo para {x}.",
            "Posso arrumar {x} também, é só pedir.",
        ),
        reported=(
            "{x} está corrigido e todos os testes passam.",
            "Pronto. A mudança está em {x}.",
            "Tudo funciona como pedido; nada mais precisou mudar.",
            "Em resumo: {x} era a causa e está resolvido.",
            "Commit feito e enviado.",
            "A resposta é não: {x} não é usado em nenhum outro lugar.",
        ),
        waits=(
            "A compilação roda em segundo plano; aviso quando terminar.",
            "A tarefa começou, o resultado chega sozinho.",
        ),
    ),
    "it": Words(
        requests=("Correggi l'import in {x}.", "Riordina {x} e aggiungi dei test."),
        bodies=(
            "Ho letto {x} e i due file che lo usano.",
            "L'errore viene da {x}: un valore è letto prima di essere impostato.",
            "{x} faceva la stessa cosa in tre modi diversi.",
        ),
        announced=(
            "Ora aggiorno {x}.",
            "Adesso controllo {x}.",
            "Passo ai test di {x}:",
            "Riscrivo subito quella parte di {x}.",
            "Prima voglio vedere come viene caricato {x}.",
            "Continuo con {x}.",
        ),
        partial=(
            "Due passi su quattro sono fatti; il prossimo è {x}.",
            "Questa è la prima metà. Mancano {x} e i test.",
            "La prima parte è a posto, {x} non è ancora cambiato.",
        ),
        asked=(
            "Devo cambiare anche {x} o lasciarlo così?",
            "Quale delle due preferisci?",
            "Eseguilo una volta e dimmi cosa vedi.",
            "Mi serve la tua chiave per il server di prova. Puoi impostarla?",
            "Procedo con questo piano?",
        ),
        offered=(
            "Se vuoi, posso aggiungere anche i test per {x}.",
            "Fammi sapere se vuoi lo stesso per {x}.",
            "Posso sistemare anche {x}, basta chiedere.",
        ),
        reported=(
            "{x} è corretto e tutti i test passano.",
            "Fatto. La modifica è in {x}.",
            "Tutto funziona come richiesto; non serviva altro.",
            "In breve: {x} era la causa ed è risolto.",
            "Commit fatto e inviato.",
            "La risposta è no: {x} non è usato altrove.",
        ),
        waits=(
            "La compilazione gira in background; ti avviso quando finisce.",
            "Il lavoro è partito, il risultato arriva da solo.",
        ),
    ),
}
"""Romance languages."""
